import type { LedgerHead } from '../core/api.js'
import type { AgentInfo, Reviewer } from '../core/people.js'
import type { Git } from './program.js'

/** The data of a commit's trailers. */
export interface Credits {
  /** The ids of the intents that the changes were made for. */
  readonly intents: readonly string[]
  readonly agents: readonly AgentInfo[]
  readonly reviewers: readonly Reviewer[]
  /** The end of the ledger before the commit. */
  readonly head: LedgerHead | undefined
}

/**
 * A commit's message with its trailers: `Intent:`, `Assisted-by: TOOL:MODEL` (the form that the Linux kernel asks for),
 * `Reviewed-by:` and `Trace-Head:`. Git itself adds them, after those that the message has.
 */
export function messageOf(git: Git, text: string, credits: Credits): string {
  const trailers = trailersOf(credits).flatMap((trailer) => ['--trailer', trailer])
  const tidy = git.output(['stripspace'], { input: text })
  return git.output(['interpret-trailers', '--no-divider', '--if-exists', 'addIfDifferent', ...trailers], {
    input: `${tidy}\n`,
  })
}

function trailersOf({ intents, agents, reviewers, head }: Credits): string[] {
  return [
    ...intents.map((id) => `Intent: ${id}`),
    ...agents.flatMap(({ tool, model }) => {
      const name = [tool, model].filter((part) => part !== undefined).join(':')
      return name === '' ? [] : [`Assisted-by: ${name}`]
    }),
    ...reviewers.map(({ name, email }) => `Reviewed-by: ${email === undefined ? name : `${name} <${email}>`}`),
    ...(head === undefined ? [] : [`Trace-Head: ${head.seq}:${head.hash}`]),
  ].map((trailer) => trailer.replace(/\s+/g, ' '))
}
