import type fs from 'node:fs'
import type { Session } from '../../src/index.js'
import type { Way } from './ways.js'
import { MARK, type World } from './world.js'

/** Who does a deed: a session, the naive adapter, or (for what must work) Node itself. */
export interface Subject {
  readonly fs: typeof fs
  readonly session?: Session
  /** Works under another intent, or none; false where it may not. */
  select(id: string | null): Promise<boolean>
}

/** A deed under way. */
export interface Run extends Subject {
  readonly world: World
  readonly way: Way
  /** Does an op in this run's way. Never rejects: a refusal is the answer. */
  act(op: string, ...args: unknown[]): Promise<unknown>
}

export type Deed = (run: Run) => unknown

export interface Attack {
  readonly name: string
  /** The published flaw, or the project, that the row comes from. */
  readonly from?: string
  /** What a person has done to the tree before. */
  readonly setUp?: (world: World) => void
  readonly deed: Deed
  /** What happens on the disk between the deed and the commit. */
  readonly meanwhile?: (world: World) => void
  /** A deed that has a manner of its own is done once. */
  readonly once?: boolean
  /** Why the naive adapter is not given it. */
  readonly notNaive?: string
  /** Names, below the directory that holds all, that must stay as they are though they are in scope. */
  readonly keeps?: readonly string[]
}

export interface AttackClass {
  readonly kind: string
  readonly rows: readonly Attack[]
}

/** A path as a row gives it: `OUTER` and `ROOT` stand for where the world is. */
export type Spelling = string | ((world: World) => unknown)

function pathIn(world: World, path: Spelling): unknown {
  if (typeof path === 'function') return path(world)
  return path.replace('OUTER', world.outer).replace('ROOT', world.root)
}

export const writes =
  (path: Spelling): Deed =>
  ({ act, world }) =>
    act('writeFile', pathIn(world, path), MARK)

/** Makes the directories on the way first, as a tool does. */
export const plants =
  (path: string): Deed =>
  async ({ act, fs }) => {
    attempt(() => fs.mkdirSync(path.slice(0, Math.max(0, path.lastIndexOf('/'))) || '.', { recursive: true }))
    await act('writeFile', path, MARK)
  }

export const does =
  (op: string, ...args: unknown[]): Deed =>
  ({ act, world }) =>
    act(op, ...args.map((arg) => (typeof arg === 'string' ? pathIn(world, arg) : arg)))

/** Runs a step that may be refused. */
export function attempt<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch {
    return undefined
  }
}

export async function attemptAsync<T>(step: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await step()
  } catch {
    return undefined
  }
}
