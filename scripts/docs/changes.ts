import type { Review, Session, Workspace } from '../../src/index.js'
import { EscrowError } from '../../src/index.js'
import { code, fence, table } from './markdown.js'
import { inScratch, ONE_INTENT } from './scratch.js'

/** A staged change's states and transitions, as a real session and its review go through them. */

const BY = { name: 'Ada' }

interface Sides {
  readonly session: Session
  readonly review: Review
  /** The file it is all about. */
  readonly path: string
}
type Move = (sides: Sides) => Promise<unknown> | unknown

const write: Move = ({ session, path }) => session.fs.appendFileSync(path, 'two\n')
const approve: Move = ({ review, path }) => review.approve(path, BY)
const reject: Move = ({ review, path }) => review.reject(path, 'Not like this.', BY)

const EVENTS: Readonly<Record<string, Move>> = {
  'the agent writes': write,
  'the agent reverts': ({ session, path }) => session.revert([path]),
  approve,
  reject,
  edit: ({ review, path }) => review.edit(path, 'by hand\n', BY),
  discard: ({ review, path }) => review.discard(path),
  commit: ({ review }) => review.commit(),
}

/** How to get to each state from a fresh workspace. */
const WAYS: Readonly<Record<string, readonly Move[]>> = {
  'not staged': [],
  pending: [write],
  approved: [write, approve],
  rejected: [write, reject],
}

export interface Step {
  readonly from: string
  readonly event: string
  /** A state, or what the call was refused with. */
  readonly to: string
  readonly refused: boolean
}

export function steps(): Promise<Step[]> {
  const cases = Object.entries(WAYS).flatMap(([from, way]) =>
    Object.entries(EVENTS).map(([event, move]) => ({ from, way, event, move })),
  )
  const files = cases.map((_, at) => [`src/${at}.js`, 'one\n'])
  const scratch = { '.orchestration/active_intents.yaml': ONE_INTENT, ...Object.fromEntries(files) }
  return inScratch(scratch, async (workspace) => {
    const found: Step[] = []
    for (const [at, { from, way, event, move }] of cases.entries())
      found.push({ from, event, ...(await tryOut(workspace, `${at}`, way, move)) })
    return found
  })
}

async function tryOut(
  workspace: Workspace,
  id: string,
  way: readonly Move[],
  move: Move,
): Promise<Pick<Step, 'to' | 'refused'>> {
  const session = await workspace.session({ id })
  await session.selectIntent('INT-001')
  const sides = { session, review: await workspace.review(id), path: `src/${id}.js` }
  for (const each of way) await each(sides)
  const before = session.fs.readFileSync(sides.path, 'utf8')
  try {
    await move(sides)
  } catch (error) {
    if (error instanceof EscrowError) return { to: error.reason, refused: true }
    throw error
  }
  const { changes } = await sides.review.changes()
  const state = changes.find(({ path }) => path === sides.path)?.state
  // What left the stage by a commit is on the disk, so the agent reads what it read before.
  const landed = state === undefined && way.length > 0 && session.fs.readFileSync(sides.path, 'utf8') === before
  await session.close()
  return { to: state ?? (landed ? 'on disk' : 'not staged'), refused: false }
}

let known: Promise<Step[]> | undefined

export async function changeDiagram(): Promise<string> {
  known ??= steps()
  const moving = (await known).filter(({ from, to, refused }) => from !== to && !refused)
  const names = [...new Set([...Object.keys(WAYS), ...moving.map(({ to }) => to)])]
  const idOf = (name: string) => name.replace(/ /g, '_')
  const labels = new Map<string, string[]>()
  for (const { from, to, event } of moving) {
    const arrow = `${idOf(from)} --> ${idOf(to)}`
    labels.set(arrow, [...(labels.get(arrow) ?? []), event])
  }
  const states = names.filter((name) => name.includes(' ')).map((name) => `    state "${name}" as ${idOf(name)}`)
  const arrows = [...labels].map(([arrow, events]) => `    ${arrow}: ${events.join(', ')}`)
  return fence('mermaid', ['stateDiagram-v2', ...states, '    [*] --> not_staged', ...arrows].join('\n'))
}

export async function changeTable(): Promise<string> {
  known ??= steps()
  const all = await known
  const rows = Object.keys(WAYS).map((from) => [
    from,
    ...Object.keys(EVENTS).map((event) => {
      const step = all.find((each) => each.from === from && each.event === event)
      if (step?.refused) return `refused: ${code(step.to)}`
      return step === undefined || step.to === from ? '–' : step.to
    }),
  ])
  return table(['state', ...Object.keys(EVENTS)], rows)
}
