-- Which clusters pass the policy? Those with the fewest restarts come first.
SELECT
  clusters.target, clusters.cluster, clusters.restart + clusters.kill AS killed, clusters.containers,
  clusters.nodes_affected, clusters.nodes
FROM clusters
WHERE clusters.outcome = 'PASS'
ORDER BY clusters.target, killed, clusters.cluster
