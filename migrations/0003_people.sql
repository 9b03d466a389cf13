-- People's logins: passwords, sessions, second factors; and invites. The first four tables are better-auth's, by our names.

-- Looked up by the address in lower case.
update users set email = lower(email) where email <> lower(email);
alter table users
  add email_verified boolean not null default false,
  add image text,
  add two_factor_enabled boolean not null default false,
  add updated_at timestamptz not null default now();

create table credentials (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- 'credential': a password. `subject` is who one is to that provider; for a password the user's id.
  provider_id text not null,
  subject text not null,
  password text,
  -- Of other providers, which there are none of; the library asks for the columns.
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider_id, subject)
);
create index credentials_user on credentials (user_id);
insert into credentials (id, user_id, provider_id, subject, password)
  select id, id, 'credential', id::text, password_hash from users;
alter table users drop column password_hash;

create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- Of no use alone: the cookie carries it signed with a key that is not in the database.
  token text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sessions_user on sessions (user_id);

-- What somebody has yet to prove: a password's reset, the second step of a sign-in. Identifiers are SHA-256 sums.
create table verifications (
  id uuid primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index verifications_identifier on verifications (identifier);
create index verifications_age on verifications (expires_at);

create table two_factors (
  id uuid primary key,
  user_id uuid not null unique references users on delete cascade,
  -- Both encrypted under a key that is not in the database.
  secret text not null,
  backup_codes text not null,
  verified boolean not null default false,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

-- A code of a second factor is good once, though it stays the right one for a minute and a half.
create table used_codes (
  user_id uuid not null references users on delete cascade,
  code text not null,
  used_at timestamptz not null,
  primary key (user_id, code)
);

create index memberships_user on memberships (user_id, created_at, account_id);

create table invites (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  role text not null check (role in ('OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER')),
  -- SHA-256: the link itself is in the mail alone.
  token_hash bytea not null unique,
  inviter_id uuid references users on delete set null,
  mails integer not null default 1,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index invites_page on invites (account_id, id desc);
create index invites_age on invites (account_id, created_at);
create index invites_email on invites (account_id, email);
