import type { Review, Session, Workspace } from '../../src/index.js'
import { EscrowError } from '../../src/index.js'
import { code, fence, table } from './markdown.js'
import { ONE_INTENT, withScratchWorkspace } from './scratch.js'

/** The states and transitions of a staged change, found by trying them on a real session and its review. */

const BY = { name: 'Ada' }

interface Scene {
  readonly session: Session
  readonly review: Review
  /** The changed file. */
  readonly path: string
}
type Action = (scene: Scene) => Promise<unknown> | unknown

const write: Action = ({ session, path }) => session.fs.appendFileSync(path, 'two\n')
const approve: Action = ({ review, path }) => review.approve(path, BY)
const reject: Action = ({ review, path }) => review.reject(path, 'Not like this.', BY)

const EVENTS: Readonly<Record<string, Action>> = {
  'the agent writes': write,
  'the agent reverts': ({ session, path }) => session.revert([path]),
  approve,
  reject,
  edit: ({ review, path }) => review.edit(path, 'by hand\n', BY),
  discard: ({ review, path }) => review.discard(path),
  commit: ({ review }) => review.commit(),
}

/** The actions that lead to each state from a fresh workspace. */
const PATHS_TO_STATE: Readonly<Record<string, readonly Action[]>> = {
  'not staged': [],
  pending: [write],
  approved: [write, approve],
  rejected: [write, reject],
}

export interface Transition {
  readonly from: string
  readonly event: string
  /** The new state, or the reason of the refusal. */
  readonly to: string
  readonly refused: boolean
}

export function readTransitions(): Promise<Transition[]> {
  const cases = Object.entries(PATHS_TO_STATE).flatMap(([from, actions]) =>
    Object.entries(EVENTS).map(([event, action]) => ({ from, way: actions, event, move: action })),
  )
  const files = cases.map((_, at) => [`src/${at}.js`, 'one\n'])
  const scratch = { '.orchestration/active_intents.yaml': ONE_INTENT, ...Object.fromEntries(files) }
  return withScratchWorkspace(scratch, async (workspace) => {
    const found: Transition[] = []
    for (const [at, { from, way: actions, event, move: action }] of cases.entries())
      found.push({ from, event, ...(await tryTransition(workspace, `${at}`, actions, action)) })
    return found
  })
}

async function tryTransition(
  workspace: Workspace,
  id: string,
  actions: readonly Action[],
  move: Action,
): Promise<Pick<Transition, 'to' | 'refused'>> {
  const session = await workspace.session({ id })
  await session.selectIntent('INT-001')
  const sides = { session, review: await workspace.review(id), path: `src/${id}.js` }
  for (const each of actions) await each(sides)
  const before = session.fs.readFileSync(sides.path, 'utf8')
  try {
    await move(sides)
  } catch (error) {
    if (error instanceof EscrowError) return { to: error.reason, refused: true }
    throw error
  }
  const { changes } = await sides.review.changes()
  const state = changes.find(({ path }) => path === sides.path)?.state
  // After a commit the agent reads the same content from the disk.
  const isCommitted =
    state === undefined && actions.length > 0 && session.fs.readFileSync(sides.path, 'utf8') === before
  await session.close()
  return { to: state ?? (isCommitted ? 'on disk' : 'not staged'), refused: false }
}

let transitions: Promise<Transition[]> | undefined

export async function changeDiagram(): Promise<string> {
  transitions ??= readTransitions()
  const changing = (await transitions).filter(({ from, to, refused }) => from !== to && !refused)
  const names = [...new Set([...Object.keys(PATHS_TO_STATE), ...changing.map(({ to }) => to)])]
  const idOf = (name: string) => name.replace(/ /g, '_')
  const labels = new Map<string, string[]>()
  for (const { from, to, event } of changing) {
    const arrow = `${idOf(from)} --> ${idOf(to)}`
    labels.set(arrow, [...(labels.get(arrow) ?? []), event])
  }
  const states = names.filter((name) => name.includes(' ')).map((name) => `    state "${name}" as ${idOf(name)}`)
  const arrows = [...labels].map(([arrow, events]) => `    ${arrow}: ${events.join(', ')}`)
  return fence('mermaid', ['stateDiagram-v2', ...states, '    [*] --> not_staged', ...arrows].join('\n'))
}

export async function changeTable(): Promise<string> {
  transitions ??= readTransitions()
  const all = await transitions
  const rows = Object.keys(PATHS_TO_STATE).map((from) => [
    from,
    ...Object.keys(EVENTS).map((event) => {
      const step = all.find((each) => each.from === from && each.event === event)
      if (step?.refused) return `refused: ${code(step.to)}`
      return step === undefined || step.to === from ? '–' : step.to
    }),
  ])
  return table(['state', ...Object.keys(EVENTS)], rows)
}
