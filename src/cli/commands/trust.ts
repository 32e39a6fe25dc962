import type { Command } from 'commander'
import { createTwoFilesPatch } from 'diff'
import type { Reviewer, TrustReport, Workspace } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { json, jsonOption, pluralize, table } from '../output.js'
import { oneLine, printable } from '../printable.js'
import { byOption } from '../reviewer.js'

interface Options {
  readonly json?: true
  readonly diff?: true
  readonly yes?: true
  readonly trustDigest?: string
  readonly by?: Reviewer
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Show changes to policy, intents, templates and .intentignore that you have not accepted on this machine, and accept them. Until then the stricter version applies. This needs a terminal or a reviewer key; a machine that has accepted nothing yet may name the digest instead.',
    )
    .option('--diff', 'also show the differences line by line')
    .option('-y, --yes', 'do not ask')
    .option('--trust-digest <digest>', 'accept only if the files have this digest (CI)')
    .addOption(byOption())
    .addOption(jsonOption())
    .action((options: Options) => trust(context, options))
}

async function trust(context: Context, options: Options): Promise<void> {
  const { io, withWorkspace, library, root, exit } = context
  const { trustDigest: expectedDigest, by } = options
  const { admitTruster } = await library()
  await withWorkspace(async (workspace) => {
    const report = await workspace.trust()
    const accept = async () => {
      admitTruster(root(), { terminal: io.terminal }, expectedDigest !== undefined && report.acceptedAt === undefined)
      await workspace.accept(report.digest, by)
    }
    if (expectedDigest !== undefined && expectedDigest !== report.digest) {
      io.err(
        `escrow: The files have the digest ${report.digest}, not ${oneLine(expectedDigest)}. Nothing was accepted.\n`,
      )
      return exit(EXIT.refused)
    }
    const isConfirmed = options.yes === true || expectedDigest !== undefined
    if (options.json) {
      if (isConfirmed) await accept()
      return io.out(json({ ...report, accepted: isConfirmed }))
    }
    if (report.files.length === 0 && report.acceptedAt !== undefined) return io.out(describeAccepted(report))
    io.out(render(report, options.diff === true))
    const problem = await workspace.policyProblem()
    if (problem !== undefined) io.err(`${oneLine(problem)}\n`)
    if (!isConfirmed && !(await confirmAcceptance(context))) return report.waiting ? exit(EXIT.refused) : undefined
    await accept()
    io.out(`accepted  ${pluralize(report.files.length, 'file')}\n`)
  })
}

/** Shows unaccepted files to a person at a terminal, and asks once whether to accept them. The command continues either way. */
export async function offerTrust({ io }: Context, workspace: Workspace, by: Reviewer | undefined): Promise<void> {
  const report = await workspace.trust()
  const prompts = report.waiting ? await io.ask?.() : undefined
  if (prompts === undefined) return
  io.out(render(report, false))
  if ((await prompts.confirm('Accept these files on this machine?')) === true) await workspace.accept(report.digest, by)
}

function describeAccepted({ acceptedAt, acceptedBy = '-', digest }: TrustReport): string {
  return `The files are as ${oneLine(acceptedBy)} accepted them on this machine (${acceptedAt}).\n${digest}\n`
}

async function confirmAcceptance({ io }: Context): Promise<boolean> {
  const prompts = await io.ask?.()
  if (prompts === undefined) {
    io.err("escrow: Nothing was accepted. Run 'escrow trust' in a terminal.\n")
    return false
  }
  if ((await prompts.confirm('Accept these files on this machine?')) === true) return true
  io.err('escrow: Nothing was accepted.\n')
  return false
}

function render({ files, changes, digest, waiting }: TrustReport, isWhole: boolean): string {
  const head = waiting
    ? 'These files allow more than you have accepted on this machine. Until you accept them, the stricter version applies.\n'
    : 'These files only restrict what you have accepted on this machine. They already apply.\n'
  const parts = files.map(({ file, accepted, now }) => {
    const rows = changes.filter((change) => change.file === file).map(({ effect, what }) => [effect, oneLine(what)])
    const listed = rows.length === 0 ? '  only comments and layout differ\n' : table(rows, '  ')
    const patch = isWhole ? createTwoFilesPatch(file, file, accepted ?? '', now ?? '', 'accepted', 'now') : ''
    return `\n${oneLine(file)}\n${listed}${printable(patch)}`
  })
  return `${head}${parts.join('')}\n${digest}\n`
}
