-- Money: a ledger in double entry, each account's credit, its plan, its use of the meters.
-- Amounts are whole santimat (1/100 MAD). What is posted stays: a mistake is mended by another posting.

-- Whether these are the sides of one posting: at least two, the account's credit first, none of them nothing, no book
-- twice, and adding up to zero.
create function is_balanced(books text[], amounts bigint[], credit bigint) returns boolean
  language plpgsql immutable parallel safe as $$
declare
  total numeric := 0;
begin
  if cardinality(books) is distinct from cardinality(amounts) or cardinality(books) < 2
    or books[1] is distinct from 'CREDIT' or amounts[1] is distinct from credit then return false; end if;
  for side in 1 .. cardinality(books) loop
    if amounts[side] is null or amounts[side] = 0 or books[side] is null
      or books[side] <> all ('{CREDIT,PAYMENTS,PLAN_SALES,OVERAGE_SALES,TAX,CORRECTIONS}')
      or books[side] = any (books[:side - 1]) then return false; end if;
    total := total + amounts[side];
  end loop;
  return total = 0;
end $$;

-- A movement of an account's credit, with its two or more sides. They stand in one row, so that the database can refuse an
-- unbalanced one at once and nobody can add a side later; `ledger_legs` below shows them row by row. `amount_minor` is what the credit moved by, seen from the account.
create table ledger_postings (
  id uuid primary key,
  -- No cascade: whoever has moved money can't be deleted from the books.
  account_id uuid not null references accounts,
  -- The place in the account's statement, given under its wallet's lock: without gap, in the order of the balances.
  position bigint not null check (position > 0),
  -- What happened in the world, once: a repeated job or notification posts nothing.
  business_key text not null unique check (length(business_key) between 1 and 200),
  kind text not null check (kind in
    ('TOPUP', 'AUTO_RECHARGE', 'PLAN_CHARGE', 'PLAN_CREDIT', 'OVERAGE_CHARGE', 'REFUND', 'ADJUSTMENT')),
  amount_minor bigint not null check (amount_minor <> 0 and abs(amount_minor) <= 1000000000000),
  -- The credit behind it.
  balance_minor bigint not null check (balance_minor >= 0),
  meter text check (meter in ('BANDWIDTH', 'BUILD_MINUTES', 'OBJECT_STORAGE', 'LOCAL_BANDWIDTH')),
  quantity numeric(20, 6),
  period_start timestamptz,
  provider text,
  provider_txn_id text,
  description text,
  created_at timestamptz not null,
  -- CREDIT is the account's; the others are the platform's books.
  books text[] not null,
  amounts bigint[] not null,
  unique (account_id, position),
  constraint ledger_postings_balanced check (is_balanced(books, amounts, amount_minor))
);
-- Money comes in once, whatever names a provider's notification goes by.
create unique index ledger_postings_payment on ledger_postings (provider, provider_txn_id)
  where kind in ('TOPUP', 'AUTO_RECHARGE') and provider_txn_id is not null and provider <> 'operator';

-- For the books: `select book, sum(amount_minor) from ledger_legs group by book` adds up to zero.
create view ledger_legs as
  select id as posting_id, account_id, created_at, leg.book, leg.amount_minor
  from ledger_postings, unnest(books, amounts) as leg (book, amount_minor);

create function refuse_to_rewrite() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: correct it with another posting' using errcode = 'restrict_violation';
end $$;
create trigger ledger_postings_append_only before update or delete or truncate on ledger_postings
  for each statement execute function refuse_to_rewrite();

-- An account's credit, kept with each posting, and what its people chose about it. Every account has one.
create table wallets (
  account_id uuid primary key references accounts on delete cascade,
  balance_minor bigint not null default 0 check (balance_minor >= 0),
  postings bigint not null default 0,
  -- Spent in that calendar month (UTC), taxes included.
  spend_month date,
  spend_minor bigint not null default 0,
  -- LOW at or below it; null: never LOW.
  low_balance_minor bigint default 2000 check (low_balance_minor >= 0),
  -- Charged to the saved card when the credit is low; null: nothing.
  recharge_minor bigint check (recharge_minor > 0),
  overage_budget_minor bigint not null default 0 check (overage_budget_minor >= 0),
  auto_renew boolean not null default false,
  -- Whether a payment provider knows the account.
  has_paid boolean not null default false
) with (fillfactor = 50);
insert into wallets (account_id) select id from accounts;

create function open_wallet() returns trigger language plpgsql as $$
begin
  insert into wallets (account_id) values (new.id);
  return null;
end $$;
create trigger accounts_open_wallet after insert on accounts for each row execute function open_wallet();

-- The one way into the ledger. The wallet's lock puts the postings of an account one behind the other.
-- `outcome`: POSTED; KNOWN, the business key was used before (the first posting's values are returned);
-- SHORT, the credit does not suffice and nothing was written.
create function post_to_ledger(
  of_id uuid, of_account uuid, of_key text, of_kind text, of_amount bigint, of_books text[], of_amounts bigint[],
  of_meter text, of_quantity numeric, of_period timestamptz, of_provider text, of_txn text, of_description text,
  at timestamptz,
  out outcome text, out posting_id uuid, out posted_account uuid, out posted_amount bigint, out posted_kind text,
  out before_minor bigint, out after_minor bigint, out spent_before_minor bigint, out spent_after_minor bigint
) language plpgsql as $$
declare
  this_month date := date_trunc('month', at at time zone 'UTC')::date;
  spent bigint := case when of_kind in ('PLAN_CHARGE', 'PLAN_CREDIT', 'OVERAGE_CHARGE') then -of_amount else 0 end;
  place bigint;
begin
  -- Takes the lock and moves the balance at once; taken back below where nothing is posted.
  update wallets set
    balance_minor = balance_minor + of_amount,
    postings = postings + 1,
    spend_minor = spent + case when spend_month = this_month then spend_minor else 0 end,
    spend_month = this_month,
    has_paid = has_paid or (of_kind in ('TOPUP', 'AUTO_RECHARGE') and coalesce(of_provider, 'operator') <> 'operator')
  where account_id = of_account and balance_minor + of_amount >= 0
  returning balance_minor, spend_minor, postings into after_minor, spent_after_minor, place;
  select id, account_id, amount_minor, kind into posting_id, posted_account, posted_amount, posted_kind
    from ledger_postings where business_key = of_key;
  if posting_id is not null or place is null then
    outcome := case when posting_id is null then 'SHORT' else 'KNOWN' end;
    update wallets set
      balance_minor = balance_minor - case when place is null then 0 else of_amount end,
      postings = postings - case when place is null then 0 else 1 end,
      spend_minor = case when spend_month = this_month then spend_minor else 0 end - case when place is null then 0 else spent end,
      spend_month = this_month
    where account_id = of_account
    returning balance_minor, balance_minor, spend_minor, spend_minor
      into strict before_minor, after_minor, spent_before_minor, spent_after_minor;
    return;
  end if;
  outcome := 'POSTED';
  posting_id := of_id;
  posted_account := of_account;
  posted_amount := of_amount;
  posted_kind := of_kind;
  before_minor := after_minor - of_amount;
  spent_before_minor := spent_after_minor - spent;
  insert into ledger_postings values
    (of_id, of_account, place, of_key, of_kind, of_amount, after_minor, of_meter, of_quantity, of_period,
     of_provider, of_txn, of_description, at, of_books, of_amounts);
end $$;

-- The plan that an account has paid for, or was given. `accounts.plan` is the one in force.
create table subscriptions (
  account_id uuid primary key references accounts on delete cascade,
  plan text not null,
  term text not null check (term in ('MONTHLY', 'QUARTERLY', 'ANNUAL')),
  status text not null check (status in ('ACTIVE', 'PAST_DUE', 'GRACE', 'CANCELLED')),
  provider text,
  period_start timestamptz not null,
  period_end timestamptz not null check (period_end > period_start),
  -- The day of the month on which periods begin, where the month has one.
  anchor_day smallint not null check (anchor_day between 1 and 31),
  -- What was paid for the period, without tax; 0 for a plan that was given.
  paid_net_minor bigint not null check (paid_net_minor >= 0),
  cancel_at_period_end boolean not null default false,
  grace_until timestamptz,
  suspended_at timestamptz,
  -- How many reminders of this period's end were sent.
  reminders smallint not null default 0,
  -- Grows with each change, so that an offer made for an earlier state is known as such.
  version integer not null default 1,
  -- When it has to be looked at again; null: never.
  next_at timestamptz,
  created_at timestamptz not null
);
create index subscriptions_next on subscriptions (next_at) where next_at is not null;

-- What was offered with a checkout for a plan: honoured when it is paid soon.
create table plan_quotes (
  checkout_id text primary key,
  account_id uuid not null references accounts on delete cascade,
  plan text not null,
  term text not null,
  credit_net_minor bigint not null check (credit_net_minor >= 0),
  -- Null: there was no subscription.
  subscription_version integer,
  quoted_at timestamptz not null
);
create index plan_quotes_age on plan_quotes (quoted_at);

-- Charges of a saved card: the row first, then the card by the row's id, then the ledger. One at a time for an account.
create table recharges (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  amount_minor bigint not null check (amount_minor > 0),
  status text not null default 'PENDING' check (status in ('PENDING', 'DONE', 'REFUSED')),
  created_at timestamptz not null
);
create unique index recharges_pending on recharges (account_id) where status = 'PENDING';
create index recharges_account on recharges (account_id, created_at desc);

-- What an account used of a meter in a calendar month (UTC), in the meter's base unit: bytes, milliseconds, MB-hours.
-- No reference: usage is counted whoever it turns out to be for.
create table usage_months (
  account_id uuid not null,
  month date not null,
  meter text not null check (meter in ('BANDWIDTH', 'BUILD_MINUTES', 'OBJECT_STORAGE', 'LOCAL_BANDWIDTH')),
  amount bigint not null,
  primary key (account_id, month, meter)
) with (fillfactor = 70);
create index usage_months_month on usage_months (month, account_id);

create function add_usage(of_account uuid, at timestamptz, of_meter text, more bigint) returns void language sql as $$
  insert into usage_months as known values (of_account, date_trunc('month', at at time zone 'UTC')::date, of_meter, more)
  on conflict (account_id, month, meter) do update set amount = known.amount + excluded.amount;
$$;

-- In the transaction that counts the traffic: nothing is counted twice, nor missed, nor added up anew.
create function add_bandwidth_of_new_hours() returns trigger language plpgsql as $$
begin
  perform add_usage(account_id, month, 'BANDWIDTH', total) from (
    select account_id, date_trunc('month', hour, 'UTC') as month, sum(bytes_out)::bigint as total
    from added group by 1, 2 order by 1, 2
  ) as sums where total <> 0;
  return null;
end $$;
create function add_bandwidth_of_grown_hours() returns trigger language plpgsql as $$
begin
  perform add_usage(account_id, month, 'BANDWIDTH', total) from (
    select account_id, date_trunc('month', hour, 'UTC') as month, sum(bytes)::bigint as total from (
      select account_id, hour, bytes_out as bytes from grown union all select account_id, hour, -bytes_out from former
    ) as changes group by 1, 2 order by 1, 2
  ) as sums where total <> 0;
  return null;
end $$;
create trigger service_traffic_hours_added after insert on service_traffic_hours
  referencing new table as added for each statement execute function add_bandwidth_of_new_hours();
create trigger service_traffic_hours_grown after update on service_traffic_hours
  referencing new table as grown old table as former for each statement execute function add_bandwidth_of_grown_hours();

create function add_build_minutes() returns trigger language plpgsql as $$
begin
  perform add_usage(new.account_id, new.started_at, 'BUILD_MINUTES', round(new.seconds * 1000)::bigint);
  return null;
end $$;
create trigger build_usage_added after insert on build_usage for each row execute function add_build_minutes();

-- What was counted before this migration.
insert into usage_months
  select account_id, date_trunc('month', hour at time zone 'UTC')::date, 'BANDWIDTH', sum(bytes_out)
  from service_traffic_hours group by 1, 2;
insert into usage_months
  select account_id, date_trunc('month', started_at at time zone 'UTC')::date, 'BUILD_MINUTES', round(sum(seconds) * 1000)
  from build_usage group by 1, 2;

-- What was charged for use past the allowances in a month. The row is the lock under which it is charged.
create table overage_months (
  account_id uuid not null references accounts on delete cascade,
  month date not null,
  net_minor bigint not null default 0 check (net_minor >= 0),
  -- With tax: what left the credit.
  charged_minor bigint not null default 0 check (charged_minor >= net_minor),
  invoiced_at timestamptz,
  primary key (account_id, month)
);
create index overage_months_open on overage_months (month) where invoiced_at is null;
create table overage_meters (
  account_id uuid not null,
  month date not null,
  meter text not null,
  net_minor bigint not null default 0 check (net_minor >= 0),
  -- The highest percentage of the allowance that the account was told of.
  told_pct smallint not null default 0,
  primary key (account_id, month, meter),
  foreign key (account_id, month) references overage_months on delete cascade
);

-- Meters that are used up and may not be bought: what builds and the edge are refused by.
create table blocked_meters (
  account_id uuid not null references accounts on delete cascade,
  meter text not null,
  blocked_at timestamptz not null,
  primary key (account_id, meter)
);
