-- Mails of invites, for as long as they count against their limits. See src/modules/people/invites.service.ts.
create table invite_mails (
  account_id uuid not null references accounts on delete cascade,
  address text not null,
  sent_at timestamptz not null
);
create index invite_mails_account on invite_mails (account_id, sent_at);
create index invite_mails_address on invite_mails (address, sent_at);

-- As it was, but that a subject which is known is not inserted in vain each time.
create or replace function take_rate_limit(
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
  select * into entry from rate_limits where subject = of_subject for update;
  if not found then
    insert into rate_limits (subject) values (of_subject) on conflict do nothing;
    select * into entry from rate_limits where subject = of_subject for update;
  end if;
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

-- The keys that live, and the newest of the revoked ones: the list, and what bounds their number.
create index api_keys_live on api_keys (account_id) where revoked_at is null;
create index api_keys_revoked on api_keys (account_id, id desc) where revoked_at is not null;
