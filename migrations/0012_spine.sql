-- Mails of invites, for as long as they count against their limits. See src/modules/people/invites.service.ts.
create table invite_mails (
  account_id uuid not null references accounts on delete cascade,
  address text not null,
  sent_at timestamptz not null
);
create index invite_mails_account on invite_mails (account_id, sent_at);
create index invite_mails_address on invite_mails (address, sent_at);
