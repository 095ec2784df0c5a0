-- The tables of a fleet for Amazon Athena, read where they are; run one statement at a time.
-- MSCK REPAIR TABLE finds new targets. Then hashcompat fleet query NAME --sql prints queries that Athena
-- takes as they are.
CREATE EXTERNAL TABLE IF NOT EXISTS clusters (
  `cluster` string,
  `part` string,
  `source` string,
  `uid` string,
  `taken` timestamp,
  `labels` map<string,string>,
  `size` bigint,
  `status` string,
  `error` string,
  `running` array<string>,
  `nodes` bigint,
  `pods` bigint,
  `containers` bigint,
  `compared` bigint,
  `restart` bigint,
  `kill` bigint,
  `keep` bigint,
  `unknown` bigint,
  `pods_affected` bigint,
  `nodes_affected` bigint,
  `recorded` bigint,
  `reproduced` bigint,
  `outcome` string,
  `why` string,
  `warnings` bigint,
  `seconds` double,
  `program` string
)
PARTITIONED BY (target string)
STORED AS PARQUET
LOCATION 's3://BUCKET/fleet/clusters/';
MSCK REPAIR TABLE clusters;
CREATE EXTERNAL TABLE IF NOT EXISTS hops (
  `cluster` string,
  `part` string,
  `step` bigint,
  `old` string,
  `new` string,
  `findings` bigint,
  `unknown` bigint
)
PARTITIONED BY (target string)
STORED AS PARQUET
LOCATION 's3://BUCKET/fleet/hops/';
MSCK REPAIR TABLE hops;
CREATE EXTERNAL TABLE IF NOT EXISTS owners (
  `cluster` string,
  `part` string,
  `release` string,
  `namespace` string,
  `owner` string,
  `container` string,
  `type` string,
  `verdict` string,
  `rules` array<string>,
  `containers` bigint,
  `pods` bigint,
  `nodes` bigint
)
PARTITIONED BY (target string)
STORED AS PARQUET
LOCATION 's3://BUCKET/fleet/owners/';
MSCK REPAIR TABLE owners;
CREATE EXTERNAL TABLE IF NOT EXISTS reasons (
  `cluster` string,
  `part` string,
  `rule` string,
  `path` string,
  `verdict` string,
  `containers` bigint,
  `pods` bigint,
  `owners` bigint
)
PARTITIONED BY (target string)
STORED AS PARQUET
LOCATION 's3://BUCKET/fleet/reasons/';
MSCK REPAIR TABLE reasons;
CREATE EXTERNAL TABLE IF NOT EXISTS releases (
  `cluster` string,
  `part` string,
  `release` string,
  `read_as` string,
  `nodes` bigint,
  `containers` bigint,
  `findings` bigint,
  `unknown` bigint
)
PARTITIONED BY (target string)
STORED AS PARQUET
LOCATION 's3://BUCKET/fleet/releases/';
MSCK REPAIR TABLE releases;
