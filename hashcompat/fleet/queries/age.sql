-- Of when are the snapshots? The oldest come first, those of an unknown age before them.
SELECT clusters.cluster, MIN(clusters.taken) AS taken, MIN(clusters.source) AS source
FROM clusters
WHERE clusters.status <> 'superseded'
GROUP BY clusters.cluster, clusters.part
ORDER BY CASE WHEN MIN(clusters.taken) IS NULL THEN 0 ELSE 1 END, taken, clusters.cluster
