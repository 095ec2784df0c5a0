-- Which kubelet releases run, on how many nodes of how many clusters, and what restarts from each?
SELECT
  releases.target, releases.release AS running, COUNT(DISTINCT releases.part) AS clusters,
  SUM(releases.nodes) AS nodes, SUM(releases.findings) AS killed, SUM(releases.unknown) AS undecided
FROM releases
GROUP BY releases.target, releases.release
ORDER BY releases.target, clusters DESC, running
