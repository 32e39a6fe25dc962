import fs from 'node:fs'
import { openWorkspace, type Workspace } from '../../src/index.js'
import { type CallStyle, callerFor, UnsupportedOp } from './call-styles.js'
import { naiveAdapter } from './naive.js'
import { type Action, attemptAsync, type Run, type Subject } from './row.js'
import { newWorld, type TreeSnapshot, takeSnapshot, type World } from './world.js'

/** Performs actions in worlds, in one call style after the other. */

/** Detects an action that hangs. It is not a speed limit. */
const HANG_MS = 30_000

export interface ActionResult {
  /** Whether the call style supports any op of the action. */
  readonly acted: boolean
  readonly hung: boolean
}

export async function perform(action: Action, subject: Subject, style: CallStyle, world: World): Promise<ActionResult> {
  const call = callerFor(style, subject.fs, subject.session)
  let calls = 0
  let unsupported = 0
  const act: Run['act'] = async (op, ...args) => {
    calls++
    try {
      return await call(op, ...args)
    } catch (error) {
      if (error instanceof UnsupportedOp) unsupported++
      return error instanceof Error ? error : new Error(String(error))
    }
  }
  const cwd = process.cwd()
  // If a relative path reached the host's own functions, it would resolve in the world and be detected.
  process.chdir(world.root)
  try {
    const hung = await exceedsLimit(Promise.resolve(action({ ...subject, world, style, act })))
    return { acted: calls === 0 || unsupported < calls, hung }
  } finally {
    process.chdir(cwd)
  }
}

async function exceedsLimit(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), HANG_MS)
  })
  try {
    return await Promise.race([work.then(() => false), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** A world with an open workspace, and the snapshot taken before any action. */
export interface OpenWorld {
  readonly world: World
  readonly workspace: Workspace
  readonly before: TreeSnapshot
  close(): Promise<void>
}

export async function openWorld(setUp?: (world: World) => void): Promise<OpenWorld> {
  const world = newWorld()
  setUp?.(world)
  const workspace = await openWorkspace(world.root)
  // The snapshot includes the files that opening the workspace writes.
  return {
    world,
    workspace,
    before: takeSnapshot(world.outer),
    async close() {
      await attemptAsync(() => workspace.close())
      world.dispose()
    },
  }
}

let sessions = 0

/** A session under INT-001. `release` approves everything and commits the changes that are not refused. */
export interface AgentRun {
  readonly subject: Subject
  /** Selects INT-001 again. */
  begin(): Promise<void>
  countStaged(): Promise<number>
  release(): Promise<void>
  close(): Promise<unknown>
}

export async function startAgent({ workspace }: OpenWorld): Promise<AgentRun> {
  const session = await workspace.session({ id: `run-${sessions++}` })
  await session.selectIntent('INT-001')
  const select = async (id: string | null) => (await attemptAsync(() => session.selectIntent(id))) !== undefined
  const subject: Subject = { fs: session.fs, session, select }
  const begin = async () => {
    if (session.intent?.id !== 'INT-001') await select('INT-001')
  }
  const countStaged = async () => (await (await workspace.review(session.id)).changes()).changes.length
  const close = () => attemptAsync(() => session.close())
  return { subject, begin, countStaged, close, release: () => release(workspace, session.id) }
}

/** Approves and commits all changes, and discards those that the commit refuses. */
async function release(workspace: Workspace, id: string): Promise<void> {
  await attemptAsync(async () => {
    const review = await workspace.review(id)
    for (let tries = 0; tries < 3; tries++) {
      const { changes } = await review.changes()
      if (changes.length === 0) return
      const refused = await commitAll(review)
      if (refused.length === 0) return
      await review.discard(refused)
    }
  })
}

/** Returns the paths that the commit refused. */
async function commitAll(review: Awaited<ReturnType<Workspace['review']>>): Promise<string[]> {
  try {
    await review.approve()
    await review.commit()
    return []
  } catch (error) {
    const refused: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'refused') : undefined
    if (!Array.isArray(refused)) throw error
    return refused.map(({ path }: { path: string }) => path)
  }
}

const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'INT-001': ['src/**'],
  'INT-002': ['src/deep/**'],
  'INT-003': [],
}

export function naiveSubject(world: World): Subject {
  const naive = naiveAdapter(world.root, SCOPES['INT-001'] ?? [])
  const select = (id: string | null) => {
    const scope = SCOPES[id ?? '']
    if (scope) naive.select(scope)
    return Promise.resolve(scope !== undefined)
  }
  return { fs: naive.fs, select }
}

export const nodeItself: Subject = { fs, select: () => Promise.resolve(true) }
