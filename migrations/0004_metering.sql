-- Traffic as the edge counts it, and seconds of builds: what metrics are drawn from and what is charged for.
-- These rows name the account themselves and outlive the service: it owes for what it used.

-- What was counted already. A batch is inserted here in the transaction that counts it.
create table metering_batches (
  id uuid primary key,
  counted_at timestamptz not null
);
create index metering_batches_age on metering_batches (counted_at);

-- Whose a service was that is gone: its last traffic comes after its row.
create table deleted_services (
  service_id uuid primary key,
  account_id uuid not null,
  deleted_at timestamptz not null default now()
);
create index deleted_services_age on deleted_services (deleted_at);
insert into deleted_services (service_id, account_id) select service_id, account_id from service_removals;

-- Adds up by position; the shorter list has zeros at its end.
create function add_counts(integer[], integer[]) returns integer[]
  language sql immutable parallel safe
  return (
    select coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) order by position), '{}')
    from unnest($1, $2) with ordinality as pairs (a, b, position)
  );
create aggregate sum_counts(integer[]) (
  sfunc = add_counts, stype = integer[], initcond = '{}', combinefunc = add_counts, parallel = safe
);

-- Windows of 10 s, for two days.
create table service_traffic (
  account_id uuid not null,
  service_id uuid not null,
  window_start timestamptz not null,
  requests bigint not null,
  bytes_in bigint not null,
  bytes_out bigint not null,
  -- Answers from 1xx to 5xx.
  statuses integer[] not null,
  -- By bucket: see src/edge/metering/latency.ts.
  latencies integer[] not null,
  primary key (service_id, window_start)
);
create index service_traffic_age on service_traffic (window_start);

-- The same by hour (UTC), added to in the same transaction, for 400 days.
create table service_traffic_hours (
  account_id uuid not null,
  service_id uuid not null,
  hour timestamptz not null,
  requests bigint not null,
  bytes_in bigint not null,
  bytes_out bigint not null,
  statuses integer[] not null,
  latencies integer[] not null,
  primary key (service_id, hour)
  -- A row of a busy service is written every 10 s: beside itself, if there is room.
) with (fillfactor = 70);
create index service_traffic_hours_account on service_traffic_hours (account_id, hour);
create index service_traffic_hours_age on service_traffic_hours (hour);

-- What fetching, installing and building took, once for each deployment that built.
create table build_usage (
  deployment_id uuid primary key,
  account_id uuid not null,
  service_id uuid not null,
  started_at timestamptz not null,
  seconds double precision not null check (seconds >= 0)
);
create index build_usage_account on build_usage (account_id, started_at);
