-- Which step of the way restarts how many containers, one minor release at a time?
SELECT
  hops.target, hops.old AS from_release, hops.new AS to_release, COUNT(DISTINCT hops.part) AS clusters,
  SUM(hops.findings) AS killed, SUM(hops.unknown) AS undecided
FROM hops
WHERE hops.step > 0
GROUP BY hops.target, hops.old, hops.new
ORDER BY hops.target, killed DESC, from_release, to_release
