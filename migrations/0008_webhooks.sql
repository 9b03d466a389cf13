-- Outgoing webhooks. A delivery is written in the transaction of the change that it tells of: the table is the outbox.

create table webhooks (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  url text not null,
  -- Names as callers subscribe to them; none: all.
  events text[] not null default '{}',
  enabled boolean not null default true,
  sealed_secret bytea not null,
  -- Of the latest attempt; null: there was no answer, or no attempt yet.
  last_status integer,
  last_delivery_at timestamptz,
  -- The first failure since the latest success; null when the latest attempt succeeded.
  failing_since timestamptz,
  created_at timestamptz not null default now()
);
create index webhooks_account on webhooks (account_id, id desc);

create table webhook_deliveries (
  id uuid primary key,
  account_id uuid not null,
  webhook_id uuid not null references webhooks on delete cascade,
  -- Dotted, as delivered.
  event text not null,
  -- Byte for byte as every attempt sends it.
  body text not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  -- Why it will not be tried again, where no attempt says so.
  error text,
  created_at timestamptz not null,
  -- Tells apart what was written in one millisecond.
  sequence bigint generated always as identity
);
-- What the dispatcher looks for, webhook by webhook; holds only what waits.
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, sequence) where status = 'PENDING';
create index webhook_deliveries_page on webhook_deliveries (webhook_id, id desc);
create index webhook_deliveries_age on webhook_deliveries (created_at);

create table webhook_attempts (
  delivery_id uuid not null references webhook_deliveries on delete cascade,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  response text,
  primary key (delivery_id, number)
);
