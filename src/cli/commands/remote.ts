import type { Command } from 'commander'
import type { SyncReport } from '../../remote/index.js'
import type { Context } from '../context.js'
import { pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { readStdin } from '../read-stdin.js'
import { runUntilSignal } from '../run-until-signal.js'

export function register(command: Command, context: Context): void {
  command.description(
    'Connect this workspace with a hub: reviewers decide there on what agents stage here. Nothing is committed without `escrow commit`.',
  )
  command
    .command('add')
    .description(
      'Connect with a hub. It asks for the token, of the role host, or takes it from the variable ESCROW_HUB_TOKEN or from stdin. It keeps the token in the state directory.',
    )
    .argument('<url>', 'the address, with https://, or http://127.0.0.1:PORT for a hub on this machine')
    .action((url: string) => add(context, url))
  command
    .command('sync')
    .description(
      'Send what sessions have staged and the new lines of the ledger, and record the decisions of reviewers on exactly those bytes.',
    )
    .option('--watch', 'go on until Ctrl-C')
    .action((options: { readonly watch?: true }) => sync(context, options))
  command
    .command('remove')
    .description('Forget the hub and its token. What was sent stays there.')
    .action(() => remove(context))
}

async function add({ io, asReviewer }: Context, url: string): Promise<void> {
  await asReviewer(async ({ root }) => {
    const { addRemote } = await import('../../remote/index.js')
    const { name, workspace } = await addRemote(root, url, await readToken(io))
    io.out(
      `This machine is ${oneLine(name)} in the hub's workspace ${oneLine(workspace)}. Send with 'escrow remote sync'.\n`,
    )
  })
}

async function readToken({ ask, terminal }: Context['io']): Promise<string> {
  const token = process.env.ESCROW_HUB_TOKEN?.trim()
  if (token !== undefined && token !== '') return token
  const typed = terminal ? await (await ask?.())?.password('The token of this machine') : (await readStdin()).trim()
  if (typed !== undefined && typed !== '') return typed
  throw new Error('There is no token. Run it at a terminal and paste the token, or set ESCROW_HUB_TOKEN.')
}

async function remove({ io, asReviewer }: Context): Promise<void> {
  await asReviewer(async ({ root }) => {
    const { removeRemote } = await import('../../remote/index.js')
    removeRemote(root)
    io.out('removed  the hub and its token\n')
  })
}

async function sync({ io, asReviewer }: Context, { watch }: { readonly watch?: true }): Promise<void> {
  await asReviewer(async (workspace) => {
    const { RemoteSync } = await import('../../remote/index.js')
    const syncing = new RemoteSync(workspace, (report) => {
      const line = `${describe(report)}\n`
      if (report.kind === 'problem') io.err(`escrow: ${line}`)
      else io.out(line)
    })
    if (watch) await runUntilSignal((signal) => syncing.watch(signal))
    else await syncing.once()
  })
}

function partOf({ hunks }: { readonly hunks?: number }): string {
  return hunks === undefined ? '' : `${pluralize(hunks, 'hunk')} of `
}

function describe(report: SyncReport): string {
  if (report.kind === 'ledger') return `sent  ${pluralize(report.lines, 'line')} of the ledger`
  const session = report.session === undefined ? '' : oneLine(report.session)
  if (report.kind === 'sent')
    return `sent  ${session}: ${report.changes === 0 ? 'nothing is staged any more' : pluralize(report.changes, 'change')}`
  if (report.kind === 'overlap')
    return `overlap  ${session}: ${oneLine(report.other)} also changes ${oneLine(report.path)}`
  if (report.kind === 'decided') {
    const people = (report.approvers ?? [report.reviewer]).map(oneLine).join(', ')
    const what = `${session}: ${partOf(report)}${oneLine(report.path)}, by ${people}`
    // It has other bytes here now, has this verdict already, or a person here has rejected it.
    return report.outcome === 'passed over'
      ? `not applied  ${what}: changed or decided here since`
      : `${report.outcome}  ${what}`
  }
  if (report.kind === 'landed')
    return `landed  ${session}: ${pluralize(report.changes, 'change')} on ${oneLine(report.branch)} as ${oneLine(report.commit).slice(0, 12)}`
  if (report.kind === 'evicted')
    return `evicted  ${session}: ${oneLine(report.path)}: ${oneLine(report.reason.split('\n', 1)[0] ?? '')}`
  return session === '' ? oneLine(report.message) : `${session}: ${oneLine(report.message)}`
}
