import type { DenialReason } from '../core/denials.js'
import { excerpt } from '../core/excerpt.js'
import { newGlobProblem } from '../core/globs.js'
import { shellWord } from '../core/shell-word.js'
import { POLICY_FILE } from './policy-file.js'
import { protection } from './protected.js'
import { openedBy, secretIn } from './secrets.js'

/** A refused path, from a quarantine, a commit, a command's result or the ledger. */
export interface RefusedPath {
  readonly path: string
  /** A denial reason, or {@link PASSES} if policy now allows the path. */
  readonly reason: string
  /** The intent that was active. */
  readonly intentId?: string
  /** The rule that refused it, as `file:line`. */
  readonly source?: string
  /** The message of the refusal. That of a rejected path is what the reviewer said. */
  readonly message?: string
}

/** Replaces a reason: the quarantined content would not be refused now. */
export const PASSES = 'passes'

/** Inputs of a remedy other than the refusal. */
interface RemedyContext {
  /** Ids of the intents that can be selected now. */
  readonly selectable: readonly string[]
  /** Whether an intent's scope has a path. Default: always. */
  readonly isInScope?: (intentId: string, path: string) => boolean
  /** The session that was refused. */
  readonly session?: string
  /** The refused content is in the session's quarantine, so the remedy also stages it. */
  readonly isKept?: boolean
}

/** How a person can allow refused paths. */
export interface Remedy {
  readonly reason: string
  readonly paths: readonly string[]
  /** Why it was refused, as a sentence for a person. */
  readonly why: string
  /** One line for a POSIX shell; undefined if no command allows the path. */
  readonly command?: string
  /** A sentence with the effect of the command or, without one, with what a person can do. */
  readonly advice: string
}

/** Remedies for refusals, one per reason, intent and rule, ordered by the first refusal of each. */
export function remediesFor(refused: readonly RefusedPath[], context: RemedyContext): Remedy[] {
  const groups = new Map<string, Group>()
  for (const { path, reason, intentId, source, message } of refused) {
    const kind = kindOf(reason, path, source)
    const feedback = kind === 'user_rejected' ? message : undefined
    const key = JSON.stringify([kind, intentId ?? null, source ?? null, feedback ?? null])
    const group = groups.get(key) ?? { kind, reason, intentId, source, feedback, paths: new Set() }
    groups.set(key, group)
    group.paths.add(path)
  }
  return [...groups.values()].map((group) => {
    const { reason, paths } = group
    return { reason, paths: [...paths], ...(REMEDIES[group.kind] ?? noRemedy)(group, context) }
  })
}

interface Group {
  /** The reason, or the kind of protection. */
  readonly kind: string
  readonly reason: string
  readonly intentId: string | undefined
  readonly source: string | undefined
  readonly feedback: string | undefined
  readonly paths: Set<string>
}

type Answer = Pick<Remedy, 'why' | 'command' | 'advice'>
type Kind =
  | Exclude<DenialReason, 'protected_path'>
  | 'protected'
  | 'protected always'
  | 'protected by rule'
  | 'secret'
  | typeof PASSES

/** Characters of a reviewer's reason that a remedy quotes. */
const QUOTED = 100

/** Typed by every reason, so that a new one needs a row here. */
const BY_KIND: Readonly<Record<Kind, (group: Group, context: RemedyContext) => Answer>> = {
  [PASSES]: ({ paths, intentId }, { session, isKept }) => ({
    why: 'It is allowed now.',
    ...(isKept && session !== undefined && { command: takeCommand(session, paths, intentId) }),
    advice: 'Stage it from the quarantine.',
  }),
  missing_intent_id: (group, context) => selectIntent('No intent was selected.', group, context),
  unknown_intent: (group, context) => selectIntent('Its intent is not declared.', group, context),
  not_trusted: (group, context) => ({
    why: 'Nobody has accepted its intent on this machine.',
    command: thenTake('escrow trust', group, context),
    advice: 'Review the changed files, and accept them.',
  }),
  intent_not_active: reopenIntent,
  intent_ignored: () => ({
    why: 'Its intent is switched off.',
    advice: 'Remove the line with its id from .intentignore.',
  }),
  scope_violation: (group, context) =>
    widenScope(`It is not in the scope of ${group.intentId ?? 'its intent'}.`, group, context),
  protected: (group, context) => widenScope(protectedWhy(group), group, context),
  'protected always': (group) => ({
    why: protectedWhy(group),
    advice: 'No agent may change it. Change it yourself, outside escrow.',
  }),
  'protected by rule': changeRule,
  secret: openSecret,
  path_escape: () => ({ why: 'It is outside the workspace.', advice: 'Only you can change it.' }),
  access_denied: changeRule,
  hidden: changeRule,
  needs_approval: (_, { session }) => ({
    why: 'A rule asks a person before it is written.',
    command: session === undefined ? 'escrow questions' : `escrow questions ${shellWord(session)}`,
    advice: "See the question. Answer it with 'escrow answer'.",
  }),
  stale_file: (_, { session, isKept }) => {
    const why = 'It changed on disk after the agent read it.'
    if (session === undefined || isKept) return { why, advice: 'Let the agent read it again.' }
    const command = `escrow commit ${shellWord(session)} --merge`
    return { why, command, advice: 'Merge the staged change with what is on disk now.' }
  },
  claimed: () => ({
    why: 'Another session is working on it.',
    command: 'escrow sessions',
    advice: 'Commit or discard the changes of that session first.',
  }),
  user_rejected: ({ paths, intentId, feedback }, { session, isKept }) => {
    if (session === undefined || !isKept)
      return { why: 'A person rejected it.', advice: 'There is nothing left to do.' }
    const why = `The agent had not seen that a person rejected its last version${feedback ? `: '${excerpt(feedback, QUOTED)}'` : '.'}`
    const command = takeCommand(session, paths, intentId)
    return { why, command, advice: 'If this version is better, stage it from the quarantine.' }
  },
  policy_invalid: () => ({
    why: 'policy.yaml or the intents file is not valid.',
    command: 'escrow status',
    advice: 'See which one, and correct it.',
  }),
  ledger_unavailable: () => ({
    why: 'The ledger cannot be written.',
    command: 'escrow verify',
    advice: 'See the reason.',
  }),
  limit_exceeded: () => ({
    why: 'A limit was reached.',
    advice: `Review what is staged, or raise \`limits\` in ${POLICY_FILE}.`,
  }),
  missing_mutation_class: () => ({
    why: 'The agent did not declare what the write does (mutation_class).',
    advice: 'Let the agent try again.',
  }),
  unsupported: () => ({
    why: 'A file of its kind or size cannot be staged.',
    advice: 'Make the change yourself, outside escrow.',
  }),
}
const REMEDIES: Readonly<Record<string, (group: Group, context: RemedyContext) => Answer>> = BY_KIND

function noRemedy({ reason }: Group): Answer {
  return { why: `The reason is ${reason}.`, advice: 'No command allows it.' }
}

function kindOf(reason: string, path: string, source: string | undefined): string {
  if (reason === 'protected_path') return protectionKind(path)
  return reason === 'access_denied' && source === undefined && secretIn(path) !== undefined ? 'secret' : reason
}

function protectionKind(path: string): Kind {
  const level = protection(path)?.level
  if (level === 'never') return 'protected always'
  return level === 'literal' ? 'protected' : 'protected by rule'
}

function protectedWhy({ paths }: Group): string {
  const [first = ''] = paths
  return `Protected: ${protection(first)?.why ?? 'a rule says so'}.`
}

/** Selects the first intent whose scope has the paths. If there is none, widens the scope of the first intent. The advice lists the others. */
function selectIntent(why: string, group: Group, context: RemedyContext): Answer {
  const { paths } = group
  const { selectable, session, isKept, isInScope = () => true } = context
  const covers = (id: string) => [...paths].every((path) => isInScope(id, path))
  const covering = selectable.filter(covers)
  const [first, ...others] = covering.length > 0 ? covering : selectable
  if (first === undefined) {
    const scope = scopeFor(paths) ?? ['src/**']
    const add = `escrow intents add 'What is to be done' --scope ${words(scope)}`
    return { why, command: add, advice: 'Declare an intent whose scope has these paths.' }
  }
  const choice = others.length === 0 ? '' : ` Others: ${others.join(', ')}.`
  const isTaken = isKept && session !== undefined
  const command = isTaken ? takeCommand(session, paths, first) : `escrow use ${shellWord(first)}`
  const advice = isTaken ? `Stage it for ${first}.` : `Select ${first} for the workspace.`
  if (covering.length > 0) return { why, command, advice: `${advice}${choice}` }
  const widened = widenScope(why, { ...group, intentId: first }, { selectable })
  return {
    why,
    ...(widened.command === undefined ? {} : { command: `${widened.command} && ${command}` }),
    advice: `No open intent has ${amount(paths)} in its scope. ${widened.advice}${choice}`,
  }
}

function reopenIntent(group: Group, context: RemedyContext): Answer {
  const { intentId } = group
  const why = `${intentId ?? 'Its intent'} is not open.`
  if (intentId === undefined) return selectIntent(why, group, context)
  const command = `escrow intents status ${shellWord(intentId)} IN_PROGRESS`
  return { why, command: thenTake(command, group, context), advice: `Open ${intentId} again.` }
}

function widenScope(why: string, group: Group, context: RemedyContext): Answer {
  const { kind, intentId, paths } = group
  if (intentId === undefined) return selectIntent(why, group, context)
  const scope = kind === 'protected' ? literalGlobs(paths) : scopeFor(paths)
  if (scope === undefined)
    return { why, advice: `Add a glob for it to the scope of ${intentId}: run 'escrow intents edit'.` }
  const command = `escrow intents scope ${shellWord(intentId)} --add ${words(scope)}`
  return {
    why,
    command: thenTake(command, group, context),
    advice: `Add ${amount(paths)} to the scope of ${intentId}.`,
  }
}

function changeRule({ paths, source }: Group): Answer {
  const why = 'A rule closes it to agents.'
  if (source !== undefined) return { why, advice: `Change the rule at ${source}, then accept it with 'escrow trust'.` }
  const [first = ''] = paths
  return { why, command: `escrow why ${words([first])}`, advice: 'See which rule.' }
}

function openSecret({ paths }: Group): Answer {
  const secrets = [...paths].flatMap((path) => secretIn(path) ?? [])
  const [first] = secrets
  return {
    why: `It may hold secrets (${first?.why ?? 'by its name'}).`,
    advice: `Write ${openedBy(secrets)} in ${POLICY_FILE}, then accept it with 'escrow trust'.`,
  }
}

function amount({ size }: ReadonlySet<string>): string {
  return size === 1 ? 'this path' : `these ${size} paths`
}

function thenTake(command: string, { paths, intentId }: Group, { session, isKept }: RemedyContext): string {
  return isKept && session !== undefined ? `${command} && ${takeCommand(session, paths, intentId)}` : command
}

function takeCommand(session: string, paths: ReadonlySet<string>, intentId: string | undefined): string {
  const names = paths.size <= MAX_NAMES ? [...paths] : directoriesOf(paths)
  const take = `escrow quarantine ${shellWord(session)} --take ${words(names)}`
  return intentId === undefined ? take : `${take} --intent ${shellWord(intentId)}`
}

function words(texts: readonly string[]): string {
  return texts.map((text) => shellWord(asArgument(text))).join(' ')
}

/** Keeps a name that begins with a hyphen from being an option. */
function asArgument(text: string): string {
  return text.startsWith('-') ? `./${text}` : text
}

/** A command with more paths names their directories instead. */
const MAX_NAMES = 8

/** Globs that match these paths; undefined if none can. */
function scopeFor(paths: ReadonlySet<string>): string[] | undefined {
  if (paths.size <= MAX_NAMES) return literalGlobs(paths)
  const names = new Set(directoriesOf(paths))
  return ifUsable([...names].map((name) => (paths.has(name) ? escapeGlob(name) : `${escapeGlob(name)}/**`)))
}

function literalGlobs(paths: ReadonlySet<string>): string[] | undefined {
  return ifUsable([...paths].map(escapeGlob))
}

function ifUsable(globs: readonly string[]): string[] | undefined {
  return globs.every((glob) => newGlobProblem(glob) === undefined) ? [...globs] : undefined
}

/** Escapes wildcards. `[id]` matches itself and is left alone. */
function escapeGlob(path: string): string {
  return path.replace(/[*?]|\[(?![^/\]]+\])/g, (char) => `[${char}]`)
}

/** The topmost distinct directories of the paths; a path at the root gives its own name. */
function directoriesOf(paths: ReadonlySet<string>): string[] {
  const dirs = [...new Set([...paths].map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))) || path))]
  return dirs.filter((dir) => !dirs.some((other) => other !== dir && dir.startsWith(`${other}/`)))
}
