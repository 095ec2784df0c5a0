-- Why do containers restart, and in how many clusters?
SELECT
  reasons.target, reasons.rule, reasons.path, COUNT(DISTINCT reasons.part) AS clusters,
  SUM(reasons.containers) AS containers
FROM reasons
WHERE reasons.verdict IN ('RESTART', 'KILL')
GROUP BY reasons.target, reasons.rule, reasons.path
ORDER BY reasons.target, clusters DESC, containers DESC, reasons.rule, reasons.path
