import type { Change, ChangeGroup, ChangeSet } from '../core/api.js'
import { briefCommand, commandLines } from '../core/command-text.js'
import { defined } from '../core/defined.js'
import type { WorkEvent } from '../core/work.js'
import { byRisk } from '../risk/index.js'
import { describeFolded, foldReason } from './folding.js'
import { attentionTitle, groupChanges } from './groups.js'

/**
 * `step`: in the order of time. `file`: by directory, a test next to its subject. `risk`: the most severe facts first, in a change set that
 * has them.
 */
export type ReviewOrder = 'step' | 'file' | 'risk'

/** A command the agent ran, and how it ended. Or a git commit that it proposes. */
export interface CommandRun {
  /** The command line, or the subject of the commit. */
  readonly command: string
  readonly end?: number | string
  /** The paths of the commit. */
  readonly proposes?: readonly string[]
}

/** `ran npm test: exit 0`, or `proposes the git commit "Add b": src/b`. Of a script it has the first line. */
export function describeRun(run: CommandRun): string {
  if (run.proposes !== undefined) return `proposes the git commit "${run.command}"${listPaths(run.proposes)}`
  return `ran ${briefCommand(run.command)}${describeEnd(run)}`
}

/** As {@link describeRun}, with each line of a script in a row of its own below the first. */
export function describeRunInRows(run: CommandRun): readonly [string, ...string[]] {
  const lines = run.proposes === undefined ? commandLines(run.command) : []
  return lines.length < 2 ? [describeRun(run)] : [`ran ${lines.length} lines${describeEnd(run)}`, ...lines]
}

/** `: exit 1`, `: timeout`; empty of a command that has not ended, and of a commit. */
export function describeEnd({ end }: CommandRun): string {
  return end === undefined ? '' : typeof end === 'number' ? `: exit ${end}` : `: ${end}`
}

const MAX_PATHS = 5

function listPaths(paths: readonly string[]): string {
  const more = paths.length > MAX_PATHS ? ` and ${paths.length - MAX_PATHS} more` : ''
  return paths.length === 0 ? '' : `: ${paths.slice(0, MAX_PATHS).join(', ')}${more}`
}

/** Changes under one heading of a review. */
export interface Chapter extends ChangeGroup {
  readonly title: string
  /** The first and the last of its tool calls, counted from 1 in the order of time. */
  readonly steps?: readonly [first: number, last: number]
  /** The tools that wrote it, each once. */
  readonly tools: readonly string[]
  /** The agent's reason, in its own words. */
  readonly reason?: string
  /** The commands that the agent ran for it, or after it and before the next step. */
  readonly commands: readonly CommandRun[]
  /** Its changes are shown as one line each until a reviewer opens them. */
  readonly folded?: true
}

/**
 * Divides a change set into chapters. First come deletions and changes with a warning, a chapter for each kind; then the others in the given
 * order; last those that can be folded. By risk, the facts alone decide the order.
 * @param work the session's commands and commits in the ledger, oldest first
 */
export function chaptersOf(set: ChangeSet, order: ReviewOrder, work: readonly WorkEvent[] = []): Chapter[] {
  const folded = set.changes.filter((change) => foldReason(change) !== undefined)
  const open = folded.length === 0 ? set.changes : set.changes.filter((change) => foldReason(change) === undefined)
  const end = folded.length === 0 ? [] : [foldedChapter(folded)]
  if (order === 'risk') return [...levels(open), ...end]
  const groups = groupChanges({ ...set, changes: open })
  const grave = groups.filter(({ attention }) => attention !== undefined)
  const rest = groups.filter(({ attention }) => attention === undefined)
  return [
    ...grave.map((group) => ({ ...group, title: attentionTitle(group.attention ?? ''), tools: [], commands: [] })),
    ...(order === 'step' ? steps(rest, work) : directories(rest)),
    ...end,
  ]
}

const LEVELS = {
  stop: 'Stop: understand these before you approve',
  look: 'Look at these',
  note: 'Good to know',
  none: 'Nothing to note',
} as const

/** A chapter for each severity. */
function levels(changes: readonly Change[]): Chapter[] {
  const sorted = [...changes].sort(byRisk)
  return Object.entries(LEVELS).flatMap(([level, title]) => {
    const ofLevel = sorted.filter(({ risk }) => (risk?.level ?? 'none') === level)
    return ofLevel.length === 0 ? [] : [{ title, changes: ofLevel, tools: [], commands: [] }]
  })
}

function foldedChapter(changes: readonly Change[]): Chapter {
  const sorted = [...changes].sort((a, b) => (a.path < b.path ? -1 : 1))
  return { title: `Folded: ${describeFolded(changes)}`, changes: sorted, tools: [], commands: [], folded: true }
}

/** The changes of a tool call, and its details. */
interface Step {
  readonly number: number
  readonly group: ChangeGroup
  readonly tool?: string
  readonly reason?: string
  readonly commands: readonly CommandRun[]
}

/** A chapter for each step with a reason. Steps of one intent without a reason share one. */
function steps(groups: readonly ChangeGroup[], work: readonly WorkEvent[]): Chapter[] {
  const calls = new Map(work.flatMap((event) => (event.kind === 'call' && event.callId ? [[event.callId, event]] : [])))
  const commands = commandsOf(groups, work)
  const chapters: Step[][] = []
  for (const [index, group] of groups.entries()) {
    const { tool, reason } = (group.callId === undefined ? undefined : calls.get(group.callId)) ?? {}
    const step = { number: index + 1, group, commands: commands.get(group) ?? [], ...defined({ tool, reason }) }
    const last = chapters.at(-1)
    if (last !== undefined && continues(last, step)) last.push(step)
    else chapters.push([step])
  }
  return chapters.map(toChapter)
}

function continues(chapter: readonly Step[], next: Step): boolean {
  const [first] = chapter
  const last = chapter.at(-1)
  if (first === undefined || next.reason !== undefined || first.reason !== undefined) return false
  return first.group.intentId === next.group.intentId && last?.commands.length === 0
}

function toChapter(steps: readonly Step[]): Chapter {
  const [first] = steps
  const span = [first?.number ?? 0, steps.at(-1)?.number ?? 0] as const
  const intentId = first?.group.intentId
  const reason = first?.reason
  const tools = [...new Set(steps.flatMap(({ tool }) => tool ?? []))]
  const callId = steps.length === 1 ? first?.group.callId : undefined
  const name = span[0] === span[1] ? `Step ${span[0]}` : `Steps ${span[0]} to ${span[1]}`
  const title = `${[name, intentId ?? 'no intent', ...tools].join(', ')}${reason === undefined ? '' : `: ${reason}`}`
  return {
    title,
    ...defined({ intentId, callId, reason }),
    steps: span,
    tools,
    commands: steps.flatMap(({ commands }) => commands),
    changes: steps.flatMap(({ group }) => group.changes),
  }
}

/**
 * Commands by the step whose call ran them; else by the step before them, and those before any step by the first. Git commits by the last
 * step that changed one of their paths.
 */
function commandsOf(
  groups: readonly ChangeGroup[],
  work: readonly WorkEvent[],
): ReadonlyMap<ChangeGroup, CommandRun[]> {
  const byCall = new Map(
    groups.flatMap((group) => (group.callId === undefined ? [] : [[group.callId, group] as const])),
  )
  const commands = new Map<ChangeGroup, CommandRun[]>()
  let before = groups[0]
  const add = (group: ChangeGroup, run: CommandRun): void => {
    const runs = commands.get(group) ?? []
    commands.set(group, runs)
    runs.push(run)
  }
  for (const { kind, callId, command, end, message, paths = [] } of work) {
    if (kind === 'commit') {
      const group = groups.findLast(({ changes }) => changes.some(({ path }) => paths.includes(path))) ?? groups.at(-1)
      if (group !== undefined) add(group, { command: message?.split('\n', 1)[0] ?? '', proposes: paths })
      continue
    }
    const call = callId === undefined ? undefined : byCall.get(callId)
    before = call ?? before
    if (kind !== 'command' || command === undefined || before === undefined) continue
    add(before, { command, ...defined({ end }) })
  }
  return commands
}

/** A chapter for each directory. A test is next to its subject if that has changed, too. */
function directories(groups: readonly ChangeGroup[]): Chapter[] {
  const changes = groups.flatMap((group) => group.changes)
  const subjects = new Map(changes.flatMap(({ path }) => (isTest(path) ? [] : [[subjectOf(path), path] as const])))
  const placed = changes.map((change) => {
    const subject = isTest(change.path) ? subjects.get(subjectOf(change.path)) : undefined
    const at = subject ?? change.path
    return { change, directory: at.slice(0, at.lastIndexOf('/') + 1), sort: subject === undefined ? at : `${at}\0` }
  })
  const chapters = new Map<string, Change[]>()
  for (const { change, directory } of placed.sort(byDirectory)) {
    const inDirectory = chapters.get(directory) ?? []
    chapters.set(directory, inDirectory)
    inDirectory.push(change)
  }
  return [...chapters].map(([directory, own]) => ({ title: directory || './', changes: own, tools: [], commands: [] }))
}

function byDirectory(
  a: { readonly directory: string; readonly sort: string },
  b: { readonly directory: string; readonly sort: string },
): number {
  if (a.directory !== b.directory) return a.directory < b.directory ? -1 : 1
  return a.sort < b.sort ? -1 : a.sort > b.sort ? 1 : 0
}

const TEST_NAME = /(^test_|[._-](test|spec)(?=\.)|_test(?=\.))/

function isTest(path: string): boolean {
  return TEST_NAME.test(path.slice(path.lastIndexOf('/') + 1))
}

/** `src/a/cart.test.ts` and `test/a/cart.test.ts` are about `cart`, as `src/a/cart.ts` is. */
function subjectOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(TEST_NAME, '')
  return name.replace(/\..*$/, '')
}
