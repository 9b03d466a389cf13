-- Cron jobs and their runs. See src/modules/cron/cron.service.ts.

create table cron_jobs (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- null: runs in a bare sandbox of the job's own.
  service_id uuid references services on delete cascade,
  name text not null,
  schedule text not null,
  timezone text not null,
  command text not null,
  timeout_seconds integer not null check (timeout_seconds between 1 and 3600),
  enabled boolean not null,
  -- The schedule's first time after `planned_from`; null while the job is paused.
  next_run_at timestamptz,
  planned_from timestamptz not null,
  -- The version of the time-zone data that `next_run_at` was worked out with.
  zone_data text not null,
  last_run_at timestamptz,
  last_status text check (last_status in ('QUEUED', 'RUNNING', 'SUCCESS', 'FAILED', 'SKIPPED')),
  last_exit_code integer,
  created_at timestamptz not null default now(),
  check (enabled = (next_run_at is not null))
);
create index cron_jobs_page on cron_jobs (account_id, id desc);
create index cron_jobs_service on cron_jobs (service_id);
create index cron_jobs_due on cron_jobs (next_run_at) where next_run_at is not null;

create table cron_runs (
  id uuid primary key,
  account_id uuid not null,
  job_id uuid not null references cron_jobs on delete cascade,
  status text not null check (status in ('QUEUED', 'RUNNING', 'SUCCESS', 'FAILED', 'SKIPPED')),
  trigger text not null check (trigger in ('SCHEDULE', 'MANUAL')),
  -- The due time; of a manual run, when it was asked for.
  scheduled_for timestamptz not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  exit_code integer,
  error text,
  -- The release that it runs in; null in a bare sandbox.
  deployment_id uuid,
  -- The engine has its task.
  launched boolean not null default false
);
-- No due time runs twice.
create unique index cron_runs_once on cron_runs (job_id, scheduled_for) where trigger = 'SCHEDULE';
-- No two runs of a job overlap.
create unique index cron_runs_unfinished on cron_runs (job_id) where status in ('QUEUED', 'RUNNING');
create index cron_runs_page on cron_runs (job_id, id desc);
create index cron_runs_queued on cron_runs (account_id, id) where status = 'QUEUED';
create index cron_runs_running on cron_runs (id) where status = 'RUNNING';

-- Jobs that are gone, be it with their service or account: what runs of them is stopped and their logs are deleted, then the note.
create table cron_removals (
  job_id uuid primary key,
  requested_at timestamptz not null default now()
);
create function note_cron_removal() returns trigger language plpgsql as $$
begin
  insert into cron_removals (job_id) values (old.id) on conflict do nothing;
  return old;
end
$$;
create trigger cron_jobs_removed after delete on cron_jobs for each row execute function note_cron_removal();
