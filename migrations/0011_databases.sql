-- Databases that Ksar runs for its tenants. What they are reached with stands in a table of its own, so that nothing that
-- shows or exports a database can show it.

create table databases (
  id uuid primary key,
  -- No cascade: what runs for it has to be ended first.
  account_id uuid not null references accounts,
  project_id uuid references projects on delete set null,
  name text not null,
  type text not null check (type in ('POSTGRES', 'MYSQL', 'REDIS')),
  status text not null default 'PROVISIONING'
    check (status in ('PROVISIONING', 'AVAILABLE', 'STOPPED', 'FAILED', 'DELETING')),
  is_branch boolean not null default false,
  -- The server's, such as 18.4; null until it has answered.
  version text,
  -- Of 127.0.0.1, for as long as the database lives; null until it has one.
  port integer check (port between 1 and 65535),
  -- Of the disk, in MiB; null until it was measured.
  size_mb integer,
  -- Why it is FAILED.
  failure text,
  created_at timestamptz not null,
  provisioned_at timestamptz,
  -- One that is on its way out does not keep its project.
  check (project_id is not null or status = 'DELETING'),
  check ((failure is not null) = (status = 'FAILED') or status = 'DELETING'),
  check (port is not null or status not in ('AVAILABLE', 'STOPPED'))
);
create unique index databases_name on databases (project_id, name) where status <> 'DELETING';
create index databases_page on databases (account_id, id desc);
create index databases_project on databases (project_id, id desc);

create table database_credentials (
  database_id uuid primary key references databases on delete cascade,
  sealed_password bytea not null,
  -- A rotation that is asked for and not known to be done: either of the two is in force.
  sealed_next_password bytea
);
create index database_credentials_rotating on database_credentials (database_id) where sealed_next_password is not null;
