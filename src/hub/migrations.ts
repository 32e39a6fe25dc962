/** The tables of a tenant's workspace. Each has the columns `tenant` and `workspace`, filled from the settings of the transaction. */
const OWN = `tenant text not null default current_setting('escrow.tenant'),
  workspace text not null default current_setting('escrow.workspace')`

/** Row security for a table: a transaction sees and writes the rows of its tenant and workspace alone. */
function secured(table: string, rights: string): string {
  const isOwn = `tenant = current_setting('escrow.tenant', true) and workspace = current_setting('escrow.workspace', true)`
  return `alter table escrow.${table} enable row level security;
alter table escrow.${table} force row level security;
create policy own_rows on escrow.${table} using (${isOwn}) with check (${isOwn});
grant ${rights} on escrow.${table} to escrow_member;`
}

const FIRST = `
do $$ begin
  create role escrow_member nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$ begin
  execute format('grant escrow_member to %I', current_user);
end $$;
grant usage on schema escrow to escrow_member;

create table escrow.tokens (
  sha256 text primary key,
  tenant text not null, workspace text not null, name text not null,
  role text not null check (role in ('host', 'reviewer', 'admin')),
  created_at timestamptz not null default now(), revoked_at timestamptz);
create unique index tokens_in_use on escrow.tokens (tenant, workspace, name) where revoked_at is null;

create table escrow.workspaces (${OWN}, seq bigint not null, primary key (tenant, workspace));

create table escrow.sessions (${OWN},
  id text not null, host text not null, epoch bigint not null, until timestamptz not null,
  primary key (tenant, workspace, id));

create table escrow.intents (${OWN},
  id text not null, name text not null, status text not null,
  primary key (tenant, workspace, id));

create table escrow.claims (${OWN},
  id text not null, prefix text not null, session text not null, until timestamptz not null,
  primary key (tenant, workspace, id), unique (tenant, workspace, session, prefix));

create table escrow.contents (${OWN},
  digest text not null, bytes bytea not null, primary key (tenant, workspace, digest));

create table escrow.submissions (${OWN},
  id text not null, session text not null, epoch bigint not null, revision bigint not null, digest text not null,
  risk int not null, seq bigint not null, at timestamptz not null, is_open boolean not null,
  primary key (tenant, workspace, id));
create unique index submissions_open on escrow.submissions (tenant, workspace, session) where is_open;

create table escrow.changes (${OWN},
  submission text not null, number int not null, key text not null, body text not null,
  primary key (tenant, workspace, submission, number));

create table escrow.decisions (${OWN},
  seq bigint not null, submission text not null, session text not null, key text not null, body text not null,
  verdict text not null check (verdict in ('approved', 'rejected')), reason text, reviewer text not null,
  at timestamptz not null, primary key (tenant, workspace, seq));
create index decisions_of_change on escrow.decisions (tenant, workspace, session, key, seq);

create table escrow.ledgers (${OWN},
  chain text not null, number bigint not null, previous text not null, sha256 text not null, line text not null,
  primary key (tenant, workspace, chain, number), unique (tenant, workspace, chain, previous));

${['workspaces', 'sessions', 'intents', 'submissions'].map((table) => secured(table, 'select, insert, update')).join('\n')}
${secured('claims', 'select, insert, update, delete')}
${['contents', 'changes', 'decisions', 'ledgers'].map((table) => secured(table, 'select, insert')).join('\n')}
`

/**
 * Votes of reviewers, and the rules that turn votes into decisions. Earlier decisions become votes, so that a rejection
 * stays in force.
 */
const VOTES = `
create table escrow.review_rules (${OWN},
  number bigint not null, body text not null, set_by text not null, at timestamptz not null default now(),
  primary key (tenant, workspace, number));

create table escrow.votes (${OWN},
  number bigint generated always as identity, submission text not null, session text not null, key text not null,
  verdict text not null check (verdict in ('approved', 'rejected')), reason text,
  name text not null, subject text not null, token text, teams text not null, at timestamptz not null,
  primary key (tenant, workspace, number));
create index votes_on_change on escrow.votes (tenant, workspace, session, key, number);

alter table escrow.decisions no force row level security;
insert into escrow.votes (tenant, workspace, submission, session, key, verdict, reason, name, subject, teams, at)
  select tenant, workspace, submission, session, key, verdict, reason, reviewer, 'name ' || reviewer, '[]', at
  from escrow.decisions order by tenant, workspace, seq;
alter table escrow.decisions force row level security;

create function escrow.is_token_revoked(hash text) returns boolean
  language sql stable strict security definer set search_path = pg_catalog, pg_temp as $$
    select not exists (select from escrow.tokens where sha256 = hash and revoked_at is null and role = 'reviewer'
      and tenant = current_setting('escrow.tenant') and workspace = current_setting('escrow.workspace'))
  $$;
revoke execute on function escrow.is_token_revoked(text) from public;
grant execute on function escrow.is_token_revoked(text) to escrow_member;

${['review_rules', 'votes'].map((table) => secured(table, 'select, insert')).join('\n')}
`

/**
 * A worker, which connects as the owner of the tables, looks for work in the repositories of all workspaces. The second policy is for the
 * owner alone: within a workspace's rights the first one applies. `epoch` is the fencing token of a worker's turn.
 */
const LANDINGS = `
create table escrow.repositories (${OWN},
  url text not null, branch text not null, checks text not null,
  is_due boolean not null default false, problem text,
  worker text, epoch bigint not null default 0, until timestamptz not null default '-infinity',
  primary key (tenant, workspace));
${secured('repositories', 'select, update (is_due, problem, worker, epoch, until)')}
do $$ begin
  execute format('create policy owner_rows on escrow.repositories to %I using (true) with check (true)', current_user);
end $$;

create table escrow.landings (${OWN},
  id text not null, seq bigint not null, news bigint, session text not null, submission text not null, keys text not null,
  body text not null, state text not null check (state in ('waiting', 'landing', 'landed', 'evicted', 'withdrawn')),
  attempts int not null default 0, branch text, commit_id text, reason text, paths text, at timestamptz not null,
  primary key (tenant, workspace, id));
create index landings_open on escrow.landings (tenant, workspace, seq) where state in ('waiting', 'landing');
create index landings_of_session on escrow.landings (tenant, workspace, session, seq);
create index landings_news on escrow.landings (tenant, workspace, news) where news is not null;
${secured('landings', 'select, insert, update')}
`

/** The facts that a machine sends about a session. Machines of an earlier version send none. */
const FACTS = 'alter table escrow.submissions add column facts text;'

/**
 * Votes and decisions on some hunks of a change; null: on all of it. `outcome` is the state of the whole change after a
 * decision and those before it. Null: a decision of an earlier version, whose verdict is the outcome.
 */
const HUNKS = `
alter table escrow.votes add column hunks text;
alter table escrow.decisions add column hunks text,
  add column outcome text check (outcome in ('approved', 'rejected', 'mixed', 'pending'));
`

/**
 * Sign-ins by an identity provider. They are looked up before the tenant is known, as tokens are, so the role of all other queries has no
 * right to these tables. It asks a function whether a sign-in may decide now, and the sign-in cannot end until the decision is written.
 */
const SIGN_INS = `
create table escrow.sign_in_groups (
  tenant text not null, workspace text not null, name text not null,
  role text not null check (role in ('reviewer', 'admin')), teams text not null,
  primary key (tenant, workspace, name));

create table escrow.begun_sign_ins (
  sha256 text primary key, state text not null, nonce text not null, verifier text not null, until timestamptz not null);

create table escrow.sign_ins (
  sha256 text primary key, issuer text not null, subject text not null, name text not null, groups text not null,
  tenant text, workspace text, role text, until timestamptz not null);
create index sign_ins_of_person on escrow.sign_ins (issuer, subject);

create function escrow.may_sign_in_decide(hash text) returns boolean
  language sql volatile strict security definer set search_path = pg_catalog, pg_temp as $$
    select exists (
      select from escrow.sign_ins join escrow.sign_in_groups as allowed using (tenant, workspace, role)
      where sha256 = hash and until > clock_timestamp() and role = 'reviewer'
        and tenant = current_setting('escrow.tenant') and workspace = current_setting('escrow.workspace')
        and allowed.name in (select json_array_elements_text(sign_ins.groups::json))
      for share of sign_ins)
  $$;
revoke execute on function escrow.may_sign_in_decide(text) from public;
grant execute on function escrow.may_sign_in_decide(text) to escrow_member;
`

/** When a content was sent last, so that old ones can be removed. Of those from before this migration: now. */
const SENT = `
alter table escrow.contents add column sent_at timestamptz not null default clock_timestamp();
grant update (sent_at), delete on escrow.contents to escrow_member;
`

/** The end of each machine's ledger. Its lines are in `ledgers`, where a record that continues an earlier line is looked up by its hash. */
const MACHINE_LEDGERS = `
create table escrow.machine_ledgers (${OWN},
  machine text not null, lines bigint not null, fold text not null, tip text not null, at timestamptz not null,
  primary key (tenant, workspace, machine));
create index ledgers_by_hash on escrow.ledgers (tenant, workspace, chain, sha256);
${secured('machine_ledgers', 'select, insert, update')}
`

/** Where a workspace is in its repository. */
const DIRECTORIES = `alter table escrow.repositories add column directory text not null default '';`

/** Never change one that was published: add another. Its number is its place in this list, from 1 on. */
export const MIGRATIONS: readonly string[] = [
  ...[FIRST, VOTES, LANDINGS, FACTS, HUNKS, SIGN_INS, SENT, MACHINE_LEDGERS, DIRECTORIES],
]
