-- Which clusters fail the policy, and by which line of it?
SELECT clusters.target, clusters.cluster, clusters.restart + clusters.kill AS killed, clusters.containers, clusters.why
FROM clusters
WHERE clusters.outcome = 'FAIL'
ORDER BY clusters.target, killed DESC, clusters.cluster
