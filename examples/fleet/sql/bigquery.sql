-- The tables of a fleet for BigQuery: external, read where they are.
-- Then hashcompat fleet query NAME --sql prints queries that BigQuery takes as they are.
CREATE SCHEMA IF NOT EXISTS fleet;
CREATE OR REPLACE EXTERNAL TABLE fleet.clusters
WITH PARTITION COLUMNS (target STRING)
OPTIONS (format = 'PARQUET', uris = ['gs://BUCKET/fleet/clusters/*'], hive_partition_uri_prefix = 'gs://BUCKET/fleet/clusters');
CREATE OR REPLACE EXTERNAL TABLE fleet.hops
WITH PARTITION COLUMNS (target STRING)
OPTIONS (format = 'PARQUET', uris = ['gs://BUCKET/fleet/hops/*'], hive_partition_uri_prefix = 'gs://BUCKET/fleet/hops');
CREATE OR REPLACE EXTERNAL TABLE fleet.owners
WITH PARTITION COLUMNS (target STRING)
OPTIONS (format = 'PARQUET', uris = ['gs://BUCKET/fleet/owners/*'], hive_partition_uri_prefix = 'gs://BUCKET/fleet/owners');
CREATE OR REPLACE EXTERNAL TABLE fleet.reasons
WITH PARTITION COLUMNS (target STRING)
OPTIONS (format = 'PARQUET', uris = ['gs://BUCKET/fleet/reasons/*'], hive_partition_uri_prefix = 'gs://BUCKET/fleet/reasons');
CREATE OR REPLACE EXTERNAL TABLE fleet.releases
WITH PARTITION COLUMNS (target STRING)
OPTIONS (format = 'PARQUET', uris = ['gs://BUCKET/fleet/releases/*'], hive_partition_uri_prefix = 'gs://BUCKET/fleet/releases');
