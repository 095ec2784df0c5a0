-- Whose containers restart in most clusters?
SELECT
  owners.target, owners.namespace, owners.owner, COUNT(DISTINCT owners.part) AS clusters,
  SUM(owners.containers) AS containers
FROM owners
WHERE owners.verdict IN ('RESTART', 'KILL')
GROUP BY owners.target, owners.namespace, owners.owner
ORDER BY owners.target, clusters DESC, containers DESC, owners.namespace, owners.owner
