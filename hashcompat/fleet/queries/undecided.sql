-- Of which clusters is nothing known, or not enough, and why?
SELECT
  clusters.target, clusters.cluster, clusters.status, clusters.unknown,
  CASE WHEN clusters.error = '' THEN clusters.why ELSE clusters.error END AS why
FROM clusters
WHERE clusters.status IN ('unreadable', 'refused', 'lost') OR clusters.outcome = 'UNDECIDED'
ORDER BY clusters.target, clusters.status, clusters.cluster
