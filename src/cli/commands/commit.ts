import type { Command } from 'commander'
import { defined } from '../../core/defined.js'
import {
  type CommitOptions,
  type CommitResult,
  EscrowError,
  type GitCommitResult,
  type Review,
  type Workspace,
} from '../../index.js'
import { shellWord } from '../../surface/index.js'
import { type Context, EXIT, type Io } from '../context.js'
import { addGitOptions, type GitFlags, gitOptionsOf } from '../git-options.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { createProgress } from '../progress.js'
import { remediesIn } from '../remedies.js'

interface CommitFlags extends GitFlags {
  readonly strict?: true
  readonly merge?: true
}

export function register(command: Command, { io, asReviewer, exit, library }: Context): void {
  addGitOptions(command)
    .description('Write the approved changes of a session to disk, all of them or none.')
    .argument('<session>', "the session's id")
    .option('--strict', 'never replace a file that another program saves at the last moment')
    .option(
      '--merge',
      'merge approved changes with files that changed on disk, and commit the others; merged changes need a new verdict. If nothing is approved, ' +
        'merge every such file',
    )
    .addOption(jsonOption())
    .action(async (session: string, { json: asJson, strict, merge, ...flags }: CommitFlags & AsJson) => {
      const { editText } = await library()
      const git = gitOptionsOf(flags, (text) => editText(text, 'COMMIT_EDITMSG'))
      const options = defined({ strict, merge, git })
      const result = await asReviewer(async (workspace) => {
        const review = await workspace.review(session)
        return commit(io, review, options).catch(async (error: unknown) => {
          throw await addRemedyCommands(error, workspace, review, merge === true)
        })
      })
      const { id, conflicts, left = [] } = result
      if (id === '' || conflicts.length > 0 || left.some(({ reason }) => reason === 'needs_approval'))
        exit(EXIT.refused)
      if (asJson) return io.out(json(result))
      const summary = render(result, session)
      if (id === '') io.err(summary)
      else io.out(summary)
      for (const { path, reason } of conflicts) io.err(`conflict   ${oneLine(path)}: ${oneLine(reason)}\n`)
      io.err(renderLeft(result, session, merge === true))
      io.err(renderUnticked(result))
      if (result.git !== undefined) io.out(renderGit(result.git))
      for (const warning of result.warnings ?? []) io.err(`warning    ${oneLine(warning)}\n`)
    })
}

/** Adds the commands that resolve a refused commit to its error. */
async function addRemedyCommands(error: unknown, workspace: Workspace, review: Review, isMerged: boolean) {
  if (!(error instanceof EscrowError) || !error.refused) return error
  const session = review.sessionId
  if (isMerged && error.reason === 'stale_file')
    return Object.assign(error, { commands: [`escrow review ${shellWord(session)}`] })
  const intents = new Map((await review.changes()).changes.map(({ path, intentId }) => [path, intentId]))
  const paths = error.refused.map(({ path, reason }) => {
    const intentId = intents.get(path)
    return { path, reason, ...defined({ intentId }) }
  })
  const remedies = await remediesIn(workspace, paths, { session })
  return Object.assign(error, { commands: remedies.flatMap(({ command }) => command ?? []) })
}

/** Commits with a progress line. Ctrl-C cancels while nothing is on disk. */
async function commit(io: Io, review: Review, options: CommitOptions): Promise<CommitResult> {
  const progress = createProgress(io)
  const controller = new AbortController()
  const cancel = () => controller.abort(new Error('The commit was cancelled. Nothing was written to disk.'))
  process.on('SIGINT', cancel)
  try {
    return await review.commit({
      ...options,
      signal: controller.signal,
      onProgress: ({ phase, files, total }) =>
        progress.show(`${PHASE_LABELS[phase]} ${files} of ${pluralize(total, 'change')}`),
    })
  } finally {
    process.off('SIGINT', cancel)
    progress.clear()
  }
}

const PHASE_LABELS = { checking: 'checking', staging: 'preparing', applying: 'writing to disk' } as const

function render({ id, seq, committed }: CommitResult, session: string): string {
  if (id === '') {
    return `Nothing is approved, so nothing was committed. Approve with 'escrow approve ${oneLine(session)}'.\n`
  }
  const lines = committed.map((path) => `committed  ${oneLine(path)}\n`)
  return `${lines.join('')}${pluralize(committed.length, 'change')} committed as ${id}, number ${seq}.\n`
}

function renderGit({ ref, commits, ignored, hooksLeft }: GitCommitResult): string {
  const branch = ref === 'HEAD' ? 'a detached HEAD' : ref.replace(/^refs\/heads\//, '')
  const created = commits.map((id) => `git commit ${id.slice(0, 10)} on ${oneLine(branch)}\n`)
  const none = commits.length === 0 ? ['git        no commit: git ignores these paths or has them already\n'] : []
  const left = ignored.map((path) => `git        ignores ${oneLine(path)}, which is on disk only\n`)
  const hooks = hooksLeft.length === 0 ? [] : [`git        did not run ${hooksLeft.join(' and ')}\n`]
  return [...created, ...none, ...left, ...hooks].join('')
}

/** Names the acceptance sentences of the committed changes that nobody had ticked. */
function renderUnticked({ unticked = [] }: CommitResult): string {
  return unticked.map(({ intentId, criterion }) => `unticked   ${oneLine(intentId)}: ${oneLine(criterion)}\n`).join('')
}

/** Lists changes that stay staged although the person may have wanted to commit them, with the next command. */
function renderLeft({ left = [] }: CommitResult, session: string, isMerged: boolean): string {
  if (left.length === 0) return ''
  const lines = left.map(({ message }) => `left out   ${oneLine(message)}\n`)
  const name = oneLine(session)
  const merging = isMerged
    ? 'Approve the merged changes, then commit again.'
    : `'escrow commit ${name} --merge' merges what changed on disk.`
  return `${lines.join('')}See 'escrow diff ${name}'. ${merging} To resolve a conflict, press e in 'escrow review ${name}'.\n`
}
