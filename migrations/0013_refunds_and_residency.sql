-- Residency tiers and their meter, refunds, corrections that come twice, and checkouts that nobody paid.

-- The plans that are residency tiers, as the catalogue of the control plane that started last has it.
create table residency_tiers (plan text primary key);

-- By the plan that is in force when it is counted: each byte once, whatever the plan was or becomes.
create function traffic_meter(of_account uuid) returns text language sql stable as $$
  select case when exists (select from accounts join residency_tiers using (plan) where accounts.id = of_account)
    then 'LOCAL_BANDWIDTH' else 'BANDWIDTH' end
$$;

create or replace function add_bandwidth_of_new_hours() returns trigger language plpgsql as $$
begin
  perform add_usage(account_id, month, traffic_meter(account_id), total) from (
    select account_id, date_trunc('month', hour, 'UTC') as month, sum(bytes_out)::bigint as total
    from added group by 1, 2 order by 1, 2
  ) as sums where total <> 0;
  return null;
end $$;
create or replace function add_bandwidth_of_grown_hours() returns trigger language plpgsql as $$
begin
  perform add_usage(account_id, month, traffic_meter(account_id), total) from (
    select account_id, date_trunc('month', hour, 'UTC') as month, sum(bytes)::bigint as total from (
      select account_id, hour, bytes_out as bytes from grown union all select account_id, hour, -bytes_out from former
    ) as changes group by 1, 2 order by 1, 2
  ) as sums where total <> 0;
  return null;
end $$;

-- Payments that go back to whoever made them. The credit is taken with the row, before a provider is asked.
create table refunds (
  id uuid primary key,
  account_id uuid not null,
  -- The payment, as it stands in the ledger.
  payment_id uuid not null references ledger_postings,
  provider text not null,
  provider_txn_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  -- The operator's: the same for the same payment acts once.
  reference text not null check (length(reference) between 1 and 100),
  -- PENDING: the provider has not answered yet. REFUSED: the credit was given back.
  status text not null check (status in ('PENDING', 'DONE', 'REFUSED')),
  -- No provider does it: the operator sends the money.
  by_hand boolean not null,
  provider_ref text,
  reason text,
  created_at timestamptz not null,
  unique (payment_id, reference)
);
create index refunds_pending on refunds (created_at) where status = 'PENDING';

-- Never more than was paid, whoever asks; and an end is an end.
create function keep_refunds() returns trigger language plpgsql as $$
declare
  payment ledger_postings;
begin
  if tg_op = 'INSERT' then
    -- Refunds of one account stand in line.
    perform from wallets where account_id = new.account_id for no key update;
    select * into payment from ledger_postings where id = new.payment_id;
    if payment.account_id is distinct from new.account_id or payment.kind not in ('TOPUP', 'AUTO_RECHARGE')
      or new.amount_minor + (select coalesce(sum(amount_minor), 0) from refunds
        where payment_id = new.payment_id and status <> 'REFUSED') > payment.amount_minor then
      raise exception 'no more of a payment goes back than was paid' using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if tg_op = 'UPDATE' and old.status = 'PENDING'
    and to_jsonb(new) - '{status,provider_ref,reason}'::text[] = to_jsonb(old) - '{status,provider_ref,reason}'::text[] then
    return new;
  end if;
  raise exception 'a refund that has ended never changes' using errcode = 'restrict_violation';
end $$;
create trigger keep_refunds before insert or update or delete on refunds for each row execute function keep_refunds();

-- Of a credit note: the operator's reference. The same for the same invoice acts once.
alter table invoices add column reference text check (length(reference) between 1 and 200);
create unique index invoices_correction on invoices (corrects_id, reference) where corrects_id is not null;

create index checkouts_unpaid on checkouts (expires_at) where status <> 'PAID';
