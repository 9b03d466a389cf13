-- Notification channels: where an account wants to be told of what happens, what each was told, and how that went.

create table channels (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  type text not null check (type in ('EMAIL', 'WEBHOOK')),
  -- What anybody may see of the target: an address, or the host of a URL. The rest of a URL often lets one write there.
  name text not null,
  sealed_target bytea not null,
  sealed_secret bytea,
  events text[] not null,
  enabled boolean not null default true,
  created_at timestamptz not null default now()
);
create index channels_account on channels (account_id, id desc);

-- One for each channel that is told of something.
create table channel_messages (
  id uuid primary key,
  account_id uuid not null,
  channel_id uuid not null references channels on delete cascade,
  event text not null,
  title text not null,
  text text not null,
  url text,
  status text not null default 'PENDING' check (status in ('PENDING', 'SENT', 'FAILED')),
  -- Since it was made, or asked for again.
  attempts integer not null default 0,
  -- How often a person has asked for it again after it had ended.
  rounds integer not null default 0,
  -- Of a PENDING one: when the next attempt is due.
  due_at timestamptz not null,
  -- Until then it is somebody's; after that whoever had it has died.
  held_until timestamptz,
  created_at timestamptz not null
);
create index channel_messages_due on channel_messages (due_at) where status = 'PENDING';
create index channel_messages_waiting on channel_messages (channel_id, due_at) where status = 'PENDING';
create index channel_messages_channel on channel_messages (channel_id, id);
create index channel_messages_age on channel_messages (created_at);

-- One for each attempt that has ended.
create table channel_deliveries (
  id uuid primary key,
  account_id uuid not null,
  channel_id uuid not null references channels on delete cascade,
  message_id uuid not null references channel_messages on delete cascade,
  success boolean not null,
  status_code integer,
  error text,
  created_at timestamptz not null
);
create index channel_deliveries_channel on channel_deliveries (channel_id, id desc);
create index channel_deliveries_message on channel_deliveries (message_id);

-- What an account is told of once, by whatever its teller calls it.
create table told_notices (
  account_id uuid not null references accounts on delete cascade,
  key text not null,
  told_at timestamptz not null,
  primary key (account_id, key)
);
create index told_notices_age on told_notices (told_at);

-- The mails of the last hour, for the limits on them: a channel that is deleted takes nothing of it away.
create table channel_mails (
  account_id uuid not null,
  address text not null,
  sent_at timestamptz not null
);
create index channel_mails_account on channel_mails (account_id, sent_at);
create index channel_mails_address on channel_mails (address, sent_at);
create index channel_mails_age on channel_mails (sent_at);

-- Who has asked for no more mail from an account's channels.
create table mail_opt_outs (
  account_id uuid not null references accounts on delete cascade,
  address text not null,
  created_at timestamptz not null,
  primary key (account_id, address)
);
