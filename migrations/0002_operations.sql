-- What every operation leaves behind: its audit entry, its answer under an Idempotency-Key, its place in the rate limit.
-- And what accounts and keys need beside it.

alter table accounts
  add suspended_at timestamptz,
  add spend_cap_mad integer check (spend_cap_mad between 0 and 10000000),
  add spend_alert_pct integer check (spend_alert_pct between 1 and 100);

-- Each index is a filter of GET /audit, paged by id.
create table audit_entries (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  action text not null,
  entity_type text not null,
  entity_id uuid not null,
  -- No reference: an entry outlives whom and what it names.
  user_id uuid,
  actor_name text,
  surface text not null check (surface in ('DASHBOARD', 'API', 'CLI', 'MCP', 'SYSTEM')),
  api_key_id uuid,
  ip_address text,
  created_at timestamptz not null default now()
);
create index audit_entries_page on audit_entries (account_id, id desc);
create index audit_entries_action on audit_entries (account_id, action, id desc);
create index audit_entries_entity_type on audit_entries (account_id, entity_type, id desc);
create index audit_entries_entity on audit_entries (account_id, entity_id, id desc);
create index audit_entries_user on audit_entries (account_id, user_id, id desc);

create table activity_events (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  metadata jsonb not null default '{}',
  actor_name text,
  created_at timestamptz not null default now()
);
create index activity_events_page on activity_events (account_id, id desc);
create index activity_events_entity_type on activity_events (account_id, entity_type, id desc);
create index activity_events_entity on activity_events (account_id, entity_id, id desc);

-- Written in the transaction of the effect: a crash leaves both or neither.
create table idempotency_keys (
  account_id uuid not null references accounts on delete cascade,
  -- The API key, or the person where there is none.
  holder_id uuid not null,
  key text not null,
  -- SHA-256 of method, path, query and body.
  fingerprint bytea not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null,
  primary key (account_id, holder_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Who has used how much of a limit within the last minute, in tenths of seconds since 1970. A lease counts as used up at
-- its end; what is left of it then is given back.
create table rate_limits (
  subject text primary key,
  ticks bigint[] not null default '{}',
  counts integer[] not null default '{}',
  -- API process → until when it may use its lease.
  leases jsonb not null default '{}'
) with (fillfactor = 50);

-- Takes up to `wanted` of `allowed` in any 60 seconds. `tick`: where they count. `reset_tick`: when all is available again;
-- `retry_tick`: when some is. `lease_tick`: how long others may still give back what they hold; null without any.
create function take_rate_limit(
  of_subject text, wanted integer, allowed integer, lease_ticks integer, holder text,
  out granted integer, out remaining integer, out tick bigint, out now_tick bigint,
  out reset_tick bigint, out retry_tick bigint, out lease_tick bigint
) language plpgsql as $$
declare
  entry rate_limits;
  kept integer := 1;
  used integer;
begin
  -- A crash of the database may forget the last moments; waiting for its disk with each request would cost more.
  perform set_config('synchronous_commit', 'off', true);
  insert into rate_limits (subject) values (of_subject) on conflict do nothing;
  select * into entry from rate_limits where subject = of_subject for update;
  now_tick := floor(extract(epoch from clock_timestamp()) * 10);
  while kept <= cardinality(entry.ticks) and entry.ticks[kept] + 600 <= now_tick loop
    kept := kept + 1;
  end loop;
  entry.ticks := entry.ticks[kept:];
  entry.counts := entry.counts[kept:];
  select coalesce(sum(count), 0) into used from unnest(entry.counts) as count;
  granted := greatest(0, least(wanted, allowed - used));
  remaining := greatest(0, allowed - used - granted);
  tick := now_tick + 1 + lease_ticks;
  entry.leases := entry.leases - holder;
  select max(value::bigint) into lease_tick from jsonb_each_text(entry.leases) where value::bigint >= now_tick;
  if granted > 0 then
    -- Another process may hold a longer lease: the ticks stay in their order.
    tick := greatest(tick, coalesce(entry.ticks[cardinality(entry.ticks)], 0));
    if tick = entry.ticks[cardinality(entry.ticks)] then
      entry.counts[cardinality(entry.counts)] := entry.counts[cardinality(entry.counts)] + granted;
    else
      entry.ticks := entry.ticks || tick;
      entry.counts := entry.counts || granted;
    end if;
    if lease_ticks > 0 then
      entry.leases := entry.leases || jsonb_build_object(holder, now_tick + lease_ticks);
    end if;
  end if;
  if lease_tick is null and lease_ticks = 0 then entry.leases := '{}'; end if;
  reset_tick := coalesce(entry.ticks[cardinality(entry.ticks)] + 600, now_tick);
  retry_tick := coalesce(entry.ticks[1] + 600, now_tick);
  update rate_limits set ticks = entry.ticks, counts = entry.counts, leases = entry.leases where subject = of_subject;
end $$;

-- The rest of a lease that was taken at `of_tick`.
create function return_rate_limit(of_subject text, unused integer, of_tick bigint, holder text) returns void
language sql as $$
  select set_config('synchronous_commit', 'off', true);
  update rate_limits set
    counts = (
      select array_agg(case when t = of_tick then greatest(0, c - unused) else c end order by position)
      from unnest(ticks, counts) with ordinality as entry (t, c, position)
    ),
    leases = leases - holder
  where subject = of_subject and of_tick = any (ticks);
$$;
