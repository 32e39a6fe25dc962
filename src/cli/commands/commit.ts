import type { Command } from 'commander'
import type { CommitOptions, CommitResult, Review } from '../../index.js'
import { type Context, EXIT, type Io } from '../context.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { progressOf } from '../progress.js'

export function register(command: Command, { io, asReviewer, exit }: Context): void {
  command
    .description('Put the approved changes of a session on disk, all or none.')
    .argument('<session>', "the session's id")
    .option('--strict', 'never replace a save made by another program at the last moment')
    .option('--merge', 'merge approved changes into what is on disk now; what was merged needs a verdict of its own')
    .addOption(jsonOption())
    .action(async (session: string, { json: asJson, ...options }: { strict?: true; merge?: true } & AsJson) => {
      const result = await asReviewer(async (workspace) => commit(io, await workspace.review(session), options))
      if (result.conflicts.length > 0) exit(EXIT.refused)
      if (asJson) return io.out(json(result))
      io.out(render(result, session))
      for (const { path, reason } of result.conflicts) io.err(`conflict   ${oneLine(path)}: ${oneLine(reason)}\n`)
      io.err(renderLeft(result, session))
      for (const warning of result.warnings ?? []) io.err(`warning    ${oneLine(warning)}\n`)
    })
}

/** Ctrl-C calls it off while nothing of it is on disk. */
async function commit(io: Io, review: Review, options: CommitOptions): Promise<CommitResult> {
  const progress = progressOf(io)
  const controller = new AbortController()
  const end = () => controller.abort(new Error('The commit was called off. Nothing is on disk.'))
  process.on('SIGINT', end)
  try {
    return await review.commit({
      ...options,
      signal: controller.signal,
      onProgress: ({ phase, files, total }) =>
        progress.tell(`${WORDS[phase]} ${files} of ${pluralize(total, 'change')}`),
    })
  } finally {
    process.off('SIGINT', end)
    progress.clear()
  }
}

const WORDS = { checking: 'checking', staging: 'preparing', applying: 'putting on disk' } as const

function render({ id, seq, committed }: CommitResult, session: string): string {
  if (id === '') {
    return `Nothing is approved, so nothing was committed. Approve with 'escrow approve ${oneLine(session)}'.\n`
  }
  const lines = committed.map((path) => `committed  ${oneLine(path)}\n`)
  return `${lines.join('')}${pluralize(committed.length, 'change')} committed as ${id}, number ${seq}.\n`
}

/** Changes that stay staged though somebody may have meant to commit them, and how to go on. */
function renderLeft({ left = [] }: CommitResult, session: string): string {
  if (left.length === 0) return ''
  const lines = left.map(({ message }) => `left out   ${oneLine(message)}\n`)
  const name = oneLine(session)
  return `${lines.join('')}Merge what changed on disk with 'escrow commit ${name} --merge', or look at it with 'escrow diff ${name}'.\n`
}
