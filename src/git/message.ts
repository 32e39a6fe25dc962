import type { LedgerHead } from '../core/api.js'
import type { AgentInfo, Reviewer } from '../core/people.js'
import { printable } from '../core/printable.js'
import type { Git } from './program.js'

/** The data of a commit's trailers. */
export interface Credits {
  /** The ids of the intents that the changes were made for. */
  readonly intents: readonly string[]
  readonly agents: readonly AgentInfo[]
  readonly reviewers: readonly Reviewer[]
  /** The tiers of policy.yaml that approved changes in place of a person. */
  readonly tiers: readonly string[]
  /** The end of the ledger before the commit. */
  readonly head: LedgerHead | undefined
  /** The id of the landing on a hub. */
  readonly landing?: string
}

/**
 * A commit's message with its trailers: `Intent:`, `Assisted-by: TOOL:MODEL` (the form that the Linux kernel asks for),
 * `Reviewed-by:` for people, `Released-by-rule:` for tiers of policy.yaml, `Trace-Head:`, and `Escrow-Landing:` for the
 * commits of a hub's worker. Git itself adds them, after the trailers that the message already has.
 */
export function messageOf(git: Git, text: string, credits: Credits): string {
  const trailers = trailersOf(credits).flatMap((trailer) => ['--trailer', trailer])
  const tidy = git.output(['stripspace'], { input: text })
  return git.output([...OUR_TRAILERS, ...trailers], { input: `${tidy}\n` })
}

/** Settings of a person could drop trailers, move them, or write them in a form that git itself does not read. */
const OUR_TRAILERS = [
  ...['-c', 'trailer.separators=:', 'interpret-trailers', '--no-divider'],
  ...['--where', 'end', '--if-exists', 'addIfDifferent', '--if-missing', 'add'],
]

/** The most characters of a subject. */
const SUBJECT = 72

/** The first line of a message: a text on one line, cut, with control characters made visible. */
export function subjectOf(text: string): string {
  const line = printable(text).replace(/\s+/g, ' ').trim()
  return line.length <= SUBJECT ? line : `${line.slice(0, SUBJECT - 1)}…`
}

/**
 * The purpose of a commit: the name of its only intent, the ids of several, or the paths if it has none.
 * @param nameOf the name of an intent; its id is used without one
 */
export function purposeOf(
  intents: readonly string[],
  nameOf: (id: string) => string | undefined,
  paths: readonly string[],
): string {
  const [only] = intents
  if (intents.length > 1) return `Work on ${intents.join(', ')}`
  if (only !== undefined) return nameOf(only) || only
  return `Change ${filesOf(paths)}`
}

/** `src/a.ts`, or `3 files`. */
export function filesOf(paths: readonly string[]): string {
  return paths.length === 1 ? (paths[0] ?? '') : `${paths.length} files`
}

const OURS = ['Intent', 'Assisted-by', 'Reviewed-by', 'Released-by-rule', 'Trace-Head', 'Escrow-Landing']
/** Trailers by which a person or an auditor vouches for a commit. */
const VOUCHES = ['Signed-off-by', 'Acked-by', 'Approved-by', 'Tested-by']
const RESERVED = new RegExp(`^\\s*(?:${[...OURS, ...VOUCHES].join('|')})\\s*:`, 'i')

/** An agent's message without trailers that only a person, or escrow, may set. Control characters become visible. */
export function agentMessage(text: string): string {
  return printable(text)
    .split('\n')
    .filter((line) => !RESERVED.test(line))
    .join('\n')
}

function trailersOf({ intents, agents, reviewers, tiers, head, landing }: Credits): string[] {
  return [
    ...intents.map((id) => `Intent: ${id}`),
    ...agents.flatMap(({ tool, model }) => {
      const name = [tool, model].filter((part) => part !== undefined).join(':')
      return name === '' ? [] : [`Assisted-by: ${name}`]
    }),
    ...reviewers.map(({ name, email }) => `Reviewed-by: ${email === undefined ? name : `${name} <${email}>`}`),
    ...tiers.map((tier) => `Released-by-rule: ${tier}`),
    ...(head === undefined ? [] : [`Trace-Head: ${head.seq}:${head.hash}`]),
    ...(landing === undefined ? [] : [`Escrow-Landing: ${landing}`]),
  ].map((trailer) => trailer.replace(/\s+/g, ' '))
}
