import fs from 'node:fs'
import { openWorkspace, type Workspace } from '../../src/index.js'
import { naiveAdapter } from './naive.js'
import { attemptAsync, type Deed, type Run, type Subject } from './row.js'
import { handOf, NoWay, type Way } from './ways.js'
import { newWorld, type Picture, picture, type World } from './world.js'

/** Runs deeds in worlds, by one way after the other. A world that a deed left as it was serves the next one too. */

/** A limit on what hangs, not a claim about speed. */
const HANG_MS = 30_000

export interface Deeds {
  /** Whether the way had a manner of doing any of it. */
  readonly acted: boolean
  readonly hung: boolean
}

export async function carryOut(deed: Deed, subject: Subject, way: Way, world: World): Promise<Deeds> {
  const hand = handOf(way, subject.fs, subject.session)
  let asked = 0
  let missing = 0
  const act: Run['act'] = async (op, ...args) => {
    asked++
    try {
      return await hand(op, ...args)
    } catch (error) {
      if (error instanceof NoWay) missing++
      return error instanceof Error ? error : new Error(String(error))
    }
  }
  const cwd = process.cwd()
  // A relative path that came to the host's own functions would be resolved there, and nothing else could be hit.
  process.chdir(world.root)
  try {
    const hung = await tooLong(Promise.resolve(deed({ ...subject, world, way, act })))
    return { acted: asked === 0 || missing < asked, hung }
  } finally {
    process.chdir(cwd)
  }
}

async function tooLong(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), HANG_MS)
  })
  try {
    return await Promise.race([work.then(() => false), late])
  } finally {
    clearTimeout(timer)
  }
}

/** A world, its workspace, and what it looked like. */
export interface House {
  readonly world: World
  readonly workspace: Workspace
  readonly before: Picture
  close(): Promise<void>
}

export async function newHouse(setUp?: (world: World) => void): Promise<House> {
  const world = newWorld()
  setUp?.(world)
  const workspace = await openWorkspace(world.root)
  // What opening writes is there before the picture.
  return {
    world,
    workspace,
    before: picture(world.outer),
    async close() {
      await attemptAsync(() => workspace.close())
      world.dispose()
    },
  }
}

let sessions = 0

/** A session at work under INT-001, and its end: everything approved, and committed as far as it can be. */
export interface AtWork {
  readonly subject: Subject
  /** Back to the intent every deed begins under. */
  begin(): Promise<void>
  staged(): Promise<number>
  release(): Promise<void>
  close(): Promise<unknown>
}

export async function atWork({ workspace }: House): Promise<AtWork> {
  const session = await workspace.session({ id: `run-${sessions++}` })
  await session.selectIntent('INT-001')
  const select = async (id: string | null) => (await attemptAsync(() => session.selectIntent(id))) !== undefined
  const subject: Subject = { fs: session.fs, session, select }
  const begin = async () => {
    if (session.intent?.id !== 'INT-001') await select('INT-001')
  }
  const staged = async () => (await (await workspace.review(session.id)).changes()).changes.length
  const close = () => attemptAsync(() => session.close())
  return { subject, begin, staged, close, release: () => release(workspace, session.id) }
}

/** Approves all; what the commit then refuses is thrown away, and the rest committed. */
async function release(workspace: Workspace, id: string): Promise<void> {
  await attemptAsync(async () => {
    const review = await workspace.review(id)
    for (let tries = 0; tries < 3; tries++) {
      const { changes } = await review.changes()
      if (changes.length === 0) return
      const refused = await committed(review)
      if (refused.length === 0) return
      await review.discard(refused)
    }
  })
}

async function committed(review: Awaited<ReturnType<Workspace['review']>>): Promise<string[]> {
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
