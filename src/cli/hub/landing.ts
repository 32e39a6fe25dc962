import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Database } from '../../hub/index.js'
import type { WorkerReport } from '../../landing/index.js'
import type { Context } from '../context.js'
import { pluralize, table } from '../output.js'
import { oneLine } from '../printable.js'
import { runUntilSignal } from '../run-until-signal.js'
import { type Owner, requireNames, withDatabase, withOwner } from './with-database.js'

interface RepositoryOptions extends Owner {
  readonly branch: string
  readonly directory: string
  readonly check?: readonly string[]
}

/** The commands of `hub` for the landing queue. */
export function registerLanding(command: Command, context: Context): void {
  const repository = command
    .command('repository')
    .description('Set where the approved changes of a workspace land. Without one, each machine commits its own.')
  withOwner(
    repository
      .command('set')
      .description("Let workers land a workspace's approved changes on a branch.")
      .argument('<url>', 'a git repository: https://, ssh://, user@host:path or a path; without a password')
      .option('--branch <name>', 'the branch', 'main')
      .option('--directory <path>', "the workspace's directory in the repository, if it is not the top", '')
      .option('--check <command...>', 'a command that must succeed, contained, on what would be pushed'),
  ).action((url: string, options: RepositoryOptions) => setRepository(context, command, url, options))
  withOwner(
    repository.command('remove').description('Let the machines of a workspace commit their own changes again.'),
  ).action((options: Owner) => removeRepository(context, command, options))
  repository
    .command('list')
    .description('List the repositories of all workspaces, and how many landings wait for each.')
    .action(() => listRepositories(context, command))
  command
    .command('worker')
    .description(
      'Land what reviewers approved: merge it onto the tip of the branch, run the checks contained, push. Any number may run. Git and its credentials are those of this user. Ctrl-C stops it.',
    )
    .option('--work <directory>', 'where to keep clones (default: in the state directory)')
    .option('--once', 'stop when nothing waits')
    .action((options: { readonly work?: string; readonly once?: true }) => work(context, command, options))
}

async function setRepository(
  context: Context,
  command: Command,
  url: string,
  options: RepositoryOptions,
): Promise<void> {
  const { workspace, tenant, branch, check = [] } = options
  requireNames(command, options)
  const directory = options.directory.replace(/\/+$/, '')
  const checks = check.map((run) => ({ run }))
  await withDatabase(context, command, (room, database) =>
    room.setRepository(database, { workspace, tenant, url, branch, directory, checks }),
  )
  const where = directory === '' ? '' : `, in ${oneLine(directory)}`
  context.io.out(`Approved changes of ${oneLine(workspace)} land on ${oneLine(branch)} of ${oneLine(url)}${where}.\n`)
}

async function removeRepository(context: Context, command: Command, { workspace, tenant }: Owner): Promise<void> {
  await withDatabase(context, command, (room, database) => room.removeRepository(database, { workspace, tenant }))
  context.io.out(`removed  the repository of ${oneLine(workspace)}\n`)
}

async function listRepositories(context: Context, command: Command): Promise<void> {
  const found = await withDatabase(context, command, (room, database) => room.listRepositories(database))
  const rows = found.map(({ tenant, workspace, url, branch, directory, checks, waiting }) => {
    const state = waiting === 0 ? '' : `${pluralize(waiting, 'landing')} waiting`
    return [tenant, workspace, url, branch, directory, checks.map(({ run }) => run).join('; '), state].map(oneLine)
  })
  context.io.out(table(rows))
}

async function work(
  context: Context,
  command: Command,
  options: { readonly work?: string; readonly once?: true },
): Promise<void> {
  await withDatabase(context, command, (_, database) =>
    runUntilSignal((signal) => land(context, database, signal, options)),
  )
}

/** Runs a worker until the signal. */
export async function land(
  { io }: Context,
  database: Database,
  signal: AbortSignal,
  { work, once = false }: { readonly work?: string; readonly once?: boolean } = {},
): Promise<void> {
  const { runWorker, defaultWork } = await import('../../landing/index.js')
  const report = (each: WorkerReport) => {
    if (each.kind === 'problem') io.err(`escrow: ${describe(each)}\n`)
    else io.out(`${describe(each)}\n`)
  }
  await runWorker({
    database,
    signal,
    report,
    once,
    work: work === undefined ? defaultWork() : resolve(io.cwd, work),
  })
}

function describe(report: WorkerReport): string {
  const workspace = report.workspace === undefined ? '' : `${oneLine(report.workspace)}: `
  if (report.kind === 'problem') return `${workspace}${oneLine(report.message)}`
  const { end } = report
  return `${end.state}  ${workspace}${end.id} ${describeEnd(end)}`
}

function describeEnd(end: Extract<WorkerReport, { readonly kind: 'ended' }>['end']): string {
  if (end.state === 'landed') return `as ${end.commit.slice(0, 12)}`
  if (end.state === 'withdrawn') return 'because it is no longer approved'
  return oneLine(end.reason.split('\n', 1)[0] ?? '')
}
