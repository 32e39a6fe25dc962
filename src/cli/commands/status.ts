import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { defined } from '../../core/defined.js'
import type {
  Change,
  ChangeState,
  Intent,
  RiskFact,
  SessionSummary,
  UnanchoredRecords,
  Workspace,
} from '../../index.js'
import { byRisk, excerpt, layoutAt, openProposals } from '../../surface/index.js'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption, pluralize, table } from '../output.js'
import { oneLine } from '../printable.js'
import { formatRecordNumbers } from '../record-numbers.js'
import { UNACCEPTED_FILES } from '../unaccepted.js'
import { sessionRow } from './sessions.js'

export function register(command: Command, { io, withWorkspace, library, root }: Context): void {
  command
    .description('List the intents of the workspace, and its sessions with what they have staged.')
    .addOption(jsonOption())
    .action(async (options: AsJson) => {
      const status = await withWorkspace(statusOf)
      io.out(options.json ? json(status) : render(status))
      if (!options.json && (await library()).findOldState(root()) !== undefined) io.out(`${OLD_STATE}\n`)
    })
}

interface Status {
  readonly root: string
  readonly intents: Intent[]
  readonly sessions: SessionSummary[]
  /** The git commits that agents propose, oldest first. */
  readonly proposals: readonly {
    readonly session: string
    readonly message: string
    readonly paths: readonly string[]
  }[]
  /** Staged changes that a hub has landed on a branch, which this machine has not pulled. */
  readonly landed?: readonly {
    readonly session: string
    readonly branch: string
    readonly commit: string
    readonly changes: number
    readonly paths: readonly string[]
  }[]
  /** The branch where the hub lands approved changes. Absent if this machine commits them. */
  readonly lands?: string
  /** The number of open questions in all sessions. */
  readonly questions: number
  /** Why nothing can be appended to the ledger. */
  readonly ledgerProblem?: string
  /** Ledger records that this machine has not anchored. */
  readonly unanchored?: UnanchoredRecords
  /** The error in policy.yaml. */
  readonly problem?: string
  /** The most severe fact of each session that has one, without those about rejected changes. */
  readonly risks: readonly (RiskFact & { readonly session: string })[]
  /** The rejections in force. */
  readonly rejected: readonly {
    readonly session: string
    readonly path: string
    readonly reason: string
    readonly by: string
  }[]
  /** The work that waits for a person, for each session with any. */
  readonly todo: readonly Todo[]
  /** True if policy, intents or templates allow more than was accepted on this machine. */
  readonly waiting: boolean
}

/** The numbers of changes in a session by what a person can do with them. */
interface Todo {
  readonly session: string
  /** To approve or reject; in a session with too many changes for a status (`uncounted`), all of them. */
  readonly pending: number
  readonly approved: number
  /** Changes that were refused, in quarantine. */
  readonly refused: number
  /** Set if the session has too many changes to read their verdicts. */
  readonly uncounted?: true
}

async function statusOf(workspace: Workspace): Promise<Status> {
  const [intents, sessions] = [await workspace.intents.list(), await workspace.sessions()]
  let questions = 0
  const risks: (RiskFact & { readonly session: string })[] = []
  const rejected: Status['rejected'][number][] = []
  const todo: Todo[] = []
  const proposals: Status['proposals'][number][] = []
  const proposalsOf = openProposals(workspace.root)
  const { landed, lands } = await landingsOf(workspace)
  for (const { id: session, damaged, changes: count } of sessions) {
    if (damaged !== undefined) continue
    const review = await workspace.review(session)
    questions += (await review.questions()).length
    const isRead = count <= MOST_READ
    const changes =
      count > 0 && isRead ? (await review.changes({ classes: 'known', risk: count <= MOST_RANKED })).changes : []
    const hasLanded = new Set(landed.filter((each) => each.session === session).flatMap(({ paths }) => paths))
    const staged = new Set(changes.flatMap(({ path }) => (hasLanded.has(path) ? [] : [path])))
    // Leaves out proposals whose files are all committed, landed or discarded.
    for (const { message, paths } of count > 0 ? proposalsOf(session) : [])
      if (!isRead || paths.some((path) => staged.has(path))) proposals.push({ session, message, paths })
    const fact = worstFact(changes)
    if (fact !== undefined) risks.push({ session, ...fact })
    for (const { path, rejections = [] } of changes)
      for (const { reason, by } of rejections) rejected.push({ session, path, reason, by: by.name })
    const numberOf = (state: ChangeState) => changes.filter((change) => change.state === state).length
    const refused = (await review.quarantined()).length
    const pending = isRead ? numberOf('pending') : count
    const approved = changes.filter((change) => hasApproval(change) && !hasLanded.has(change.path)).length
    const each: Todo = { session, pending, approved, refused, ...(!isRead && { uncounted: true }) }
    if (pending + each.approved + refused > 0) todo.push(each)
  }
  const problem = await workspace.policyProblem()
  const { waiting } = await workspace.trust()
  const ledgerProblem = await workspace.ledger.problem()
  const unanchored = await workspace.ledger.unanchored()
  return {
    root: workspace.root,
    intents,
    sessions,
    proposals,
    questions,
    risks,
    rejected,
    todo,
    waiting,
    ...(unanchored.ranges.length > 0 && { unanchored }),
    ...(landed.length > 0 && { landed }),
    ...defined({ lands, ledgerProblem, problem }),
  }
}

/** Loads the connection with a hub only if there is one. */
async function landingsOf(
  workspace: Workspace,
): Promise<{ readonly landed: NonNullable<Status['landed']>; readonly lands?: string | undefined }> {
  if (!existsSync(join(layoutAt(workspace.root).state, 'remote-seen.json'))) return { landed: [] }
  const { landedChanges, landingBranchOf } = await import('../../remote/index.js')
  const landed = (await landedChanges(workspace)).map(({ session, branch, commit, changes }) => {
    const paths = changes.map(({ path }) => path)
    return { session, branch, commit, changes: paths.length, paths }
  })
  return { landed, lands: landingBranchOf(workspace.root) }
}

/** The limit of changes in a session whose facts are found: more take too long for a status. */
const MOST_RANKED = 20

/** The limit of changes in a session whose verdicts are read: each takes milliseconds. */
const MOST_READ = 200

/** Characters of a reason that are shown. */
const REASON_COLUMNS = 100

/** Whether a commit would take the change, or some of its hunks. */
function hasApproval({ state, hunks }: Change): boolean {
  return state === 'approved' || hunks.some((hunk) => hunk.state === 'approved')
}

/** The most severe fact about the changes that nobody has rejected, unless it is only a note. */
function worstFact(changes: readonly Change[]): RiskFact | undefined {
  const open = changes.filter(({ state }) => state !== 'rejected')
  const [first] = open.sort(byRisk).flatMap(({ risk }) => risk?.facts ?? [])
  return first?.severity === 'note' ? undefined : first
}

function describeProblem(problem: string): string {
  return `${oneLine(problem)} Nothing can be recorded: 'escrow verify'`
}

function describeUnanchored({ ranges, differs }: UnanchoredRecords): string {
  const known = differs === undefined ? '' : `record ${differs} differs from what this machine knows; `
  return `${known}${formatRecordNumbers(ranges)} not anchored on this machine: 'escrow verify'`
}

function riskRow({ session, path, line, severity, sentence }: Status['risks'][number]): string[] {
  const place = `${oneLine(path)}${line === undefined ? '' : `:${line}`}`
  return [session, place, `${severity}: ${oneLine(sentence)}`]
}

function landedRow({ session, branch, commit, changes }: NonNullable<Status['landed']>[number]): string[] {
  return [session, pluralize(changes, 'change'), `${oneLine(branch)} ${oneLine(commit).slice(0, 12)}`]
}

/** A reason from a landing queue has a whole diff, which `escrow diff` shows. */
function rejectionRow({ session, path, reason, by }: Status['rejected'][number]): string[] {
  return [session, oneLine(path), `${oneLine(by)}: ${oneLine(excerpt(reason, REASON_COLUMNS))}`]
}

function todoRows({ session, pending, approved, refused, uncounted }: Todo, lands: string | undefined): string[][] {
  const id = oneLine(session)
  const [outcome, command] =
    lands === undefined
      ? ['to commit', `escrow commit ${id}`]
      : [`for the hub to land on ${oneLine(lands)}`, 'escrow remote sync']
  const rows: [number, string, string, string][] = [
    [pending, 'change', uncounted ? 'to review or commit' : 'to review', `escrow review ${id}`],
    [approved, 'approved change', outcome, command],
    [refused, 'refused change', 'in quarantine', `escrow quarantine ${id}`],
  ]
  return rows.flatMap(([count, noun, what, command]) =>
    count === 0 ? [] : [[session, `${pluralize(count, noun)} ${what}`, command]],
  )
}

/** Leaves out the sessions in which nothing runs, and nothing waits for anybody. */
function renderSessions(sessions: readonly SessionSummary[], todo: readonly Todo[]): string {
  if (sessions.length === 0) return 'No sessions.\n'
  const waits = new Set(todo.map(({ session }) => session))
  const shown = sessions.filter(
    ({ id, live, changes, damaged }) => live || changes > 0 || damaged !== undefined || waits.has(id),
  )
  const remaining = sessions.length - shown.length
  const more =
    remaining === 0 ? '' : `  ${remaining} ${shown.length === 0 ? '' : 'more '}with nothing staged: 'escrow sessions'\n`
  return `Sessions\n${table(shown.map(sessionRow), '  ')}${more}`
}

function proposalRow({ session, message, paths }: Status['proposals'][number]): string[] {
  return [session, oneLine(message.split('\n', 1)[0] ?? ''), pluralize(paths.length, 'file')]
}

function render({
  root,
  intents,
  sessions,
  proposals,
  questions,
  risks,
  rejected,
  todo,
  ledgerProblem,
  unanchored,
  landed = [],
  lands,
  problem,
  waiting,
}: Status): string {
  const ledger =
    ledgerProblem === undefined ? unanchored && describeUnanchored(unanchored) : describeProblem(ledgerProblem)
  const intentRows = intents.map(({ id, status, name }) => [id, status, name])
  return [
    table([['Workspace', root], ...(ledger === undefined ? [] : [['Ledger', ledger]])]),
    intents.length === 0
      ? waiting
        ? 'No accepted intents.\n'
        : 'No intents.\n'
      : `Intents\n${table(intentRows, '  ')}`,
    renderSessions(sessions, todo),
    proposals.length === 0
      ? ''
      : `Proposed git commits ('escrow commit SESSION --git --per proposal')\n${table(proposals.map(proposalRow), '  ')}`,
    risks.length === 0 ? '' : `Look first ('escrow diff SESSION --by risk')\n${table(risks.map(riskRow), '  ')}`,
    rejected.length === 0 ? '' : `Rejected\n${table(rejected.map(rejectionRow), '  ')}`,
    todo.length === 0
      ? ''
      : `Next\n${table(
          todo.flatMap((each) => todoRows(each, lands)),
          '  ',
        )}`,
    landed.length === 0
      ? ''
      : `Landed by the hub ('git pull' takes them from the stage to the disk)\n${table(landed.map(landedRow), '  ')}`,
    waiting && problem === undefined ? `${UNACCEPTED_FILES}\n` : '',
    problem === undefined ? '' : `${oneLine(problem)}\n`,
    questions === 0 ? '' : `${pluralize(questions, 'question')} for you: 'escrow questions'\n`,
  ].join('')
}

const OLD_STATE =
  "An earlier version left files in .orchestration that are no longer used. See them with 'escrow migrate'."
