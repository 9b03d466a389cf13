-- What services use (CPU, memory, instances), and the rules that watch it. Traffic has tables of its own (metering).
-- These rows name a service and refer to none: a service may be deleted while its readings are written. Those of a
-- service that is gone are shown to nobody and go by their age.

-- The latest reading of each service that was ever released, in place: a row is written every 10 s, so beside itself.
create table service_readings (
  service_id uuid primary key,
  account_id uuid not null,
  window_start timestamptz not null,
  -- Null: not known.
  cpu_cores real,
  memory_mb real,
  instances_up integer not null,
  -- 0: nothing of it is meant to run (stopped, suspended, served from disk).
  instances_wanted integer not null
) with (fillfactor = 50);
create index service_readings_account on service_readings (account_id);

-- Windows of 10 s, for a day.
create table service_samples (
  service_id uuid not null,
  window_start timestamptz not null,
  cpu_cores real,
  memory_mb real,
  instances_up smallint not null,
  instances_wanted smallint not null,
  primary key (service_id, window_start)
);
create index service_samples_age on service_samples (window_start);

-- The same by hour (UTC), made of the windows, for 30 days.
create table service_sample_hours (
  service_id uuid not null,
  hour timestamptz not null,
  cpu_cores_avg real,
  cpu_cores_max real,
  memory_mb_avg real,
  memory_mb_max real,
  instances_up_min smallint not null,
  instances_wanted_max smallint not null,
  primary key (service_id, hour)
);
create index service_sample_hours_age on service_sample_hours (hour);

create table alert_rules (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Null: the worst of all the account's services.
  service_id uuid references services on delete cascade,
  -- Null: every channel of the account that is enabled. Which ones there are is known elsewhere.
  channel_id uuid,
  name text not null,
  metric text not null check (metric in ('CPU_CORES', 'MEMORY_MB', 'SERVICE_DOWN')),
  comparator text not null check (comparator in ('GT', 'LT')),
  threshold double precision not null check (threshold between -1000000000 and 1000000000),
  enabled boolean not null default true,
  state text not null default 'UNKNOWN' check (state in ('OK', 'FIRING', 'UNKNOWN')),
  -- What the readings since the last change say, and how many in a row: two of them change the state.
  pending_state text check (pending_state in ('OK', 'FIRING', 'UNKNOWN')),
  pending_count smallint not null default 0,
  -- Somebody was told that it fires, and not yet that it is over.
  told_firing boolean not null default false,
  last_value double precision,
  last_checked_at timestamptz,
  -- The reading that was judged last: one is not judged twice.
  last_window timestamptz,
  -- Grows with each change by a person: what was judged by the rule as it was before is not kept.
  revision integer not null default 0,
  created_at timestamptz not null
) with (fillfactor = 70);
create index alert_rules_account on alert_rules (account_id, id desc);
create index alert_rules_service on alert_rules (service_id) where service_id is not null;

create table alert_events (
  id uuid primary key,
  rule_id uuid not null references alert_rules on delete cascade,
  state text not null check (state in ('OK', 'FIRING', 'UNKNOWN')),
  value double precision,
  created_at timestamptz not null
);
create index alert_events_page on alert_events (rule_id, id desc);
create index alert_events_age on alert_events (created_at);
