-- Accounts, people, keys, projects, services with their environment, deployments.
-- Ids are UUIDv7, made by the program; every table that belongs to an account carries its id.

create table accounts (
  id uuid primary key,
  name text not null,
  slug text not null unique,
  type text not null default 'TEAM',
  plan text not null default 'FREE',
  require2fa boolean not null default false,
  ai_opt_in boolean not null default false,
  created_at timestamptz not null default now()
);

create table users (
  id uuid primary key,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));

create table memberships (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER')),
  created_at timestamptz not null default now(),
  primary key (account_id, user_id)
);

-- The one-time link that `ksar up` prints on its first run. Only the hash is kept.
create table signup_links (
  token_hash bytea primary key,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  creator_id uuid not null references users on delete cascade,
  name text not null,
  prefix text not null,
  hash bytea not null unique,
  -- Empty: full access.
  scopes text[] not null default '{}',
  ip_allowlist text[] not null default '{}',
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index api_keys_prefix on api_keys (prefix);
create index api_keys_account on api_keys (account_id, id);

create table projects (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  slug text not null,
  description text,
  created_at timestamptz not null default now(),
  unique (account_id, slug)
);
create index projects_page on projects (account_id, id desc);

create table services (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  project_id uuid not null references projects,
  name text not null,
  slug text not null,
  type text not null check (type in ('WEB', 'WORKER', 'STATIC')),
  repo_url text not null,
  branch text not null,
  -- true: nobody chose the branch; where the repository has no such branch its default branch is taken.
  branch_is_default boolean not null,
  root_directory text not null default '',
  builder text not null default 'AUTO' check (builder in ('AUTO', 'DOCKERFILE', 'STATIC')),
  build_command text,
  pre_deploy_command text,
  start_command text,
  output_directory text,
  single_page boolean,
  port integer check (port between 1 and 65535),
  health_check_path text,
  instances integer not null default 1 check (instances between 1 and 20),
  cpu_cores double precision not null default 1,
  memory_mb integer not null default 512,
  auto_deploy boolean not null default true,
  wait_for_checks boolean not null default false,
  -- What the owner wants; `status` is what is.
  desired_state text not null default 'RUNNING' check (desired_state in ('RUNNING', 'STOPPED')),
  status text not null default 'PENDING'
    check (status in ('PENDING', 'DEPLOYING', 'RUNNING', 'DEGRADED', 'CRASHED', 'STOPPED', 'SUSPENDED')),
  current_deployment_id uuid,
  created_at timestamptz not null default now()
);
create unique index services_slug on services (slug);
create index services_page on services (account_id, id desc);
create index services_type_page on services (account_id, type, id desc);
create index services_project on services (project_id, id desc);

-- Written in the transaction that deletes a service: what still runs of it, its files and its logs are taken down by
-- the reconciler, which then deletes the row.
create table service_removals (
  service_id uuid primary key,
  account_id uuid not null,
  -- Its deployments, whose logs go with it.
  deployment_ids uuid[] not null,
  requested_at timestamptz not null default now()
);

create table env_variables (
  service_id uuid not null references services on delete cascade,
  account_id uuid not null,
  name text not null,
  -- AES-256-GCM, key outside the database; bound to service and name.
  sealed_value bytea not null,
  updated_at timestamptz not null default now(),
  primary key (service_id, name)
);

create table deployments (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  service_id uuid not null references services on delete cascade,
  status text not null default 'QUEUED'
    check (status in ('AWAITING_CHECKS', 'QUEUED', 'BUILDING', 'PUSHING', 'DEPLOYING', 'LIVE', 'FAILED', 'CANCELLED', 'SKIPPED')),
  trigger text not null check (trigger in ('MANUAL', 'API', 'PUSH', 'ROLLBACK', 'PREVIEW')),
  branch text not null,
  requested_commit_sha text,
  clear_cache boolean not null default false,
  commit_sha text,
  commit_message text,
  error_message text,
  -- The deployment whose build this one runs: itself, or an earlier one (rollback, restart).
  artifact_id uuid not null,
  -- Settings as they were when the deployment was made; later edits of the service wait for the next one.
  settings jsonb not null,
  build_plan jsonb,
  -- The environment as it was at release, sealed as one JSON object.
  sealed_env bytea,
  -- Grows with each process that takes the deployment on: what an earlier one still writes is refused.
  attempt integer not null default 0,
  cancel_requested_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  build_seconds double precision
);
create index deployments_page on deployments (service_id, id desc);
create index deployments_unfinished on deployments (id)
  where status in ('AWAITING_CHECKS', 'QUEUED', 'BUILDING', 'PUSHING', 'DEPLOYING');
-- One deployment of a service moves at a time.
create unique index deployments_active on deployments (service_id) where status in ('BUILDING', 'PUSHING', 'DEPLOYING');
-- A newer one takes the place of one that waits.
create unique index deployments_queued on deployments (service_id) where status = 'QUEUED';

alter table services add foreign key (current_deployment_id) references deployments deferrable initially deferred;

-- Grows with every routing table that is written; the edge ignores older ones.
create sequence routing_table_version;
