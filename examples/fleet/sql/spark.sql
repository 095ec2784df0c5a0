-- The tables of a fleet for Spark SQL: views of the files; the column target is found in their paths.
-- Then hashcompat fleet query NAME --sql prints queries that Spark takes as they are.
CREATE OR REPLACE TEMPORARY VIEW clusters USING parquet OPTIONS (path 's3a://BUCKET/fleet/clusters');
CREATE OR REPLACE TEMPORARY VIEW hops USING parquet OPTIONS (path 's3a://BUCKET/fleet/hops');
CREATE OR REPLACE TEMPORARY VIEW owners USING parquet OPTIONS (path 's3a://BUCKET/fleet/owners');
CREATE OR REPLACE TEMPORARY VIEW reasons USING parquet OPTIONS (path 's3a://BUCKET/fleet/reasons');
CREATE OR REPLACE TEMPORARY VIEW releases USING parquet OPTIONS (path 's3a://BUCKET/fleet/releases');
