-- Payments through gateways, invoices, and to whom they are made out. Amounts are integers in santimat.
-- These rows name the account themselves and outlive it: the law asks for invoices for ten years.

create table billing_identities (
  account_id uuid primary key references accounts on delete cascade,
  email text,
  name text,
  address text,
  ice text,
  tax_id text,
  rc text,
  updated_at timestamptz not null
);

create table checkouts (
  id uuid primary key,
  account_id uuid not null,
  purpose text not null check (purpose in ('TOPUP', 'PLAN')),
  plan text,
  term text,
  amount_minor bigint not null check (amount_minor between 1 and 100000000000),
  description text not null,
  gateway text not null check (gateway in ('sandbox', 'manual', 'cmi', 'stripe')),
  -- SHA-256: the address of the page is with the account alone.
  token_hash bytea not null unique,
  -- For people: on the page, and on bank transfers.
  reference text not null unique,
  status text not null default 'OPEN' check (status in ('OPEN', 'PAID', 'FAILED', 'EXPIRED', 'ABANDONED')),
  -- Why it failed, as the provider says it.
  reason text,
  -- What the provider calls the checkout, where it calls it something of its own, and where the person goes for it.
  provider_ref text,
  provider_url text,
  provider_txn_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  polled_at timestamptz,
  paid_at timestamptz,
  check ((purpose = 'PLAN') = (plan is not null) and (plan is null) = (term is null)),
  check ((status = 'PAID') = (provider_txn_id is not null) and (status = 'PAID') = (paid_at is not null)),
  -- One payment settles one checkout, whatever is told twice.
  unique (gateway, provider_txn_id)
);
create index checkouts_page on checkouts (account_id, id desc);
create index checkouts_open on checkouts (expires_at) where status = 'OPEN';

create function keep_checkouts() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.status = 'PAID' then raise exception 'a checkout that was paid is kept' using errcode = 'restrict_violation'; end if;
    return old;
  end if;
  if old.status = 'PAID' or (new.account_id, new.purpose, new.plan, new.term, new.amount_minor, new.gateway)
      is distinct from (old.account_id, old.purpose, old.plan, old.term, old.amount_minor, old.gateway) then
    raise exception 'what a checkout is about, and one that was paid, never changes' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger keep_checkouts before update or delete on checkouts for each row execute function keep_checkouts();

-- Cards that a provider keeps for an account; nothing of the card itself is here.
create table saved_cards (
  account_id uuid not null references accounts on delete cascade,
  gateway text not null,
  customer_ref text not null,
  -- null: the customer is known, and no card may be charged.
  card_ref text,
  updated_at timestamptz not null,
  primary key (account_id, gateway)
);

-- Charges of saved cards. Written before the provider is asked, so that the same key is never charged twice.
create table card_charges (
  gateway text not null,
  key text not null,
  account_id uuid not null,
  amount_minor bigint not null check (amount_minor between 1 and 100000000000),
  status text not null default 'PENDING' check (status in ('PENDING', 'PAID', 'REFUSED')),
  reason text,
  provider_txn_id text,
  created_at timestamptz not null,
  primary key (gateway, key),
  unique (gateway, provider_txn_id),
  check ((status = 'PAID') = (provider_txn_id is not null))
);

-- The last number of each series and year. Sequences would leave gaps: this row is locked until the invoice has committed.
create table invoice_counters (
  series text not null check (series in ('F', 'A')),
  year integer not null,
  last integer not null check (last > 0),
  -- Invoices of a series are dated in the order of their numbers, whatever the machines' clocks say.
  last_issued_at timestamptz not null,
  primary key (series, year)
);

create function keep_invoice_counters() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.series = old.series and new.year = old.year and new.last = old.last + 1 and new.last_issued_at >= old.last_issued_at then
      return new;
    end if;
  end if;
  raise exception 'invoices are numbered one after the other' using errcode = 'restrict_violation';
end $$;
create trigger keep_invoice_counters before update or delete on invoice_counters
  for each row execute function keep_invoice_counters();
create trigger keep_all_invoice_counters before truncate on invoice_counters
  for each statement execute function keep_invoice_counters();

create table invoices (
  id uuid primary key,
  account_id uuid not null,
  -- Series F (factures) for invoices, A (avoirs) for credit notes, whose amounts are negative.
  kind text not null check (kind in ('INVOICE', 'CREDIT_NOTE')),
  -- What a credit note corrects.
  corrects_id uuid references invoices,
  status text not null check (status in ('DRAFT', 'OPEN', 'PAID', 'VOID')),
  number text unique,
  plan text,
  term text,
  provider text,
  provider_txn_id text,
  period_start timestamptz,
  service_period_start timestamptz,
  service_period_end timestamptz,
  subtotal_minor bigint not null,
  tax_rate_bp integer not null check (tax_rate_bp between 0 and 10000),
  tax_minor bigint not null,
  total_minor bigint not null,
  -- As they were at issue.
  seller jsonb,
  buyer jsonb,
  created_at timestamptz not null,
  issued_at timestamptz,
  paid_at timestamptz,
  voided_at timestamptz,
  check (total_minor = subtotal_minor + tax_minor),
  check (case kind when 'INVOICE' then total_minor >= 0 and corrects_id is null else total_minor <= 0 and corrects_id is not null end),
  check ((status = 'DRAFT') = (number is null) and (number is null) = (issued_at is null)),
  check ((number is null) = (seller is null) and (number is null) = (buyer is null)),
  check ((status = 'PAID') = (paid_at is not null) and (status = 'VOID') = (voided_at is not null))
);
create index invoices_page on invoices (account_id, id desc);
create index invoices_corrects on invoices (corrects_id) where corrects_id is not null;

create table invoice_lines (
  invoice_id uuid not null references invoices,
  position integer not null check (position >= 0),
  meter text,
  description text not null,
  quantity numeric not null,
  unit_price_minor numeric not null,
  amount_minor bigint not null,
  primary key (invoice_id, position)
);

-- Once issued, an invoice may be paid or made void, and nothing else about it changes, ever.
create function keep_invoices() returns trigger language plpgsql as $$
declare
  settled constant text[] := '{status,paid_at,voided_at,provider,provider_txn_id}';
begin
  if tg_op = 'TRUNCATE' then raise exception 'invoices are kept' using errcode = 'restrict_violation'; end if;
  if old.status = 'DRAFT' then
    if tg_op = 'DELETE' then return old; end if;
    if new.status in ('DRAFT', 'OPEN', 'PAID') then return new; end if;
  elsif tg_op = 'UPDATE' and old.status = 'OPEN' and new.status in ('PAID', 'VOID')
      and to_jsonb(new) - settled = to_jsonb(old) - settled
      and (new.status = 'PAID' or (new.provider, new.provider_txn_id) is not distinct from (old.provider, old.provider_txn_id)) then
    return new;
  end if;
  raise exception 'an invoice that was issued never changes: it is paid, made void, or corrected by a credit note'
    using errcode = 'restrict_violation';
end $$;
create trigger keep_invoices before update or delete on invoices for each row execute function keep_invoices();
create trigger keep_all_invoices before truncate on invoices for each statement execute function keep_invoices();

create function keep_invoice_lines() returns trigger language plpgsql as $$
declare
  of_invoice uuid;
  was text;
begin
  if tg_op = 'TRUNCATE' then raise exception 'invoices are kept' using errcode = 'restrict_violation'; end if;
  if tg_op = 'DELETE' then of_invoice := old.invoice_id; else of_invoice := new.invoice_id; end if;
  select status into was from invoices where id = of_invoice;
  if was = 'DRAFT' and (tg_op <> 'UPDATE' or old.invoice_id = new.invoice_id) then
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end if;
  raise exception 'the lines of an invoice that was issued never change' using errcode = 'restrict_violation';
end $$;
create trigger keep_invoice_lines before insert or update or delete on invoice_lines
  for each row execute function keep_invoice_lines();
create trigger keep_all_invoice_lines before truncate on invoice_lines
  for each statement execute function keep_invoice_lines();
