import { resolve } from 'node:path'
import type { Command } from 'commander'
import { EscrowError } from '../../index.js'
import type { PullRequestReport } from '../../pull-request/index.js'
import { renderCiReport } from '../ci-report.js'
import { type Context, EXIT } from '../context.js'
import { detailsOf } from '../failure.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'

interface Options extends AsJson {
  readonly base?: string
  readonly head?: string
  readonly workspace: string
  readonly keys?: string
  readonly requireTrailers?: true
  readonly summary?: string
  readonly codeQuality?: string
  readonly badge?: string
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Check a pull request against its ledger, in CI: nobody changed or cut the ledger, and a person or a rule approved each line that an agent wrote. ' +
        'On GitHub and GitLab it finds the pull request in the event and annotates unapproved lines. It reads git objects alone: it runs nothing of the pull request, and uses no network. ' +
        'Exit code 0: it passes. 1: it does not. 2: it could not be checked.',
    )
    .option('--base <revision>', "the target branch or commit; by default that of the forge's event")
    .option('--head <revision>', "the pull request's last commit; by default that of the event, or HEAD")
    .option('--workspace <directory>', 'the directory with .orchestration, from the top of the repository', '.')
    .option(
      '--keys <directory>',
      'each new commit of the ledger must be signed by a NAME.pub.pem in this directory of the target branch',
    )
    .option('--require-trailers', 'each commit that changes the ledger, or a later one, must have a Trace-Head trailer')
    .option('--summary <file>', "append the summary to a file, beside GitHub's own")
    .option('--code-quality <file>', "write the unapproved lines as GitLab's code quality report")
    .option('--badge <file>', 'write a badge, as SVG')
    .addOption(jsonOption())
    .action((options: Options) => check(context, options))
}

async function check(context: Context, options: Options): Promise<void> {
  try {
    await checkPullRequest(context, options)
  } catch (error) {
    const { message, hint } = detailsOf(error)
    context.io.err(`escrow: The pull request could not be checked: ${oneLine(message)}\n`)
    if (hint !== undefined) context.io.err(`${oneLine(hint)}\n`)
    context.exit(EXIT.usage)
  }
}

async function checkPullRequest({ io, directory, exit, library }: Context, options: Options): Promise<void> {
  // Only this command loads it.
  const room = await import('../../pull-request/index.js')
  const event = room.readForgeEvent(process.env)
  const { workspace, keys, requireTrailers } = options
  const [base, head] = [options.base ?? event?.base, options.head ?? event?.head ?? 'HEAD']
  if (base === undefined)
    throw new EscrowError('unsupported', 'The target branch is not known.', { hint: 'Name it: --base origin/main' })
  const cwd = directory()
  const report = await room.checkPullRequest({
    cwd,
    base,
    head,
    workspace,
    keys,
    requireTrailers: requireTrailers === true,
    openWorkspace: (await library()).openWorkspace,
  })
  const { appendOnto, replaceDurable } = await import('../../surface/index.js')
  for (const file of [options.summary, event?.summary])
    if (file !== undefined) appendOnto(resolve(cwd, file), room.renderSummary(report), 0o644)
  if (options.codeQuality !== undefined) replaceDurable(resolve(cwd, options.codeQuality), room.codeQuality(report))
  if (options.badge !== undefined) replaceDurable(resolve(cwd, options.badge), room.badge(report))
  const parts = { headline: room.headlineOf(report), problems: room.problemsOf(report) }
  io.out(options.json ? json(toDocument(report)) : renderCiReport(report, parts))
  if (event?.forge === 'github' && !options.json) io.out(room.githubAnnotations(report))
  exit(room.holds(report) ? EXIT.ok : EXIT.refused)
}

function toDocument({ files, ...report }: PullRequestReport) {
  return {
    ...report,
    files: files.map(({ models, intents, approvers, ...file }) => ({
      ...file,
      models: [...models].sort(),
      intents: [...intents].sort(),
      approvers: [...approvers].sort(),
    })),
  }
}
