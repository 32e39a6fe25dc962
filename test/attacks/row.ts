import type fs from 'node:fs'
import type { Session } from '../../src/index.js'
import type { CallStyle } from './call-styles.js'
import { MARK, type World } from './world.js'

/** The filesystem that performs an action: a session, the naive adapter, or (for legitimate work) Node itself. */
export interface Subject {
  readonly fs: typeof fs
  readonly session?: Session
  /** Selects another intent, or none. Returns false if the selection is refused. */
  select(id: string | null): Promise<boolean>
}

/** The context of one action. */
export interface Run extends Subject {
  readonly world: World
  readonly style: CallStyle
  /** Performs an op in the call style of this run. Never rejects: a refusal is the result. */
  act(op: string, ...args: unknown[]): Promise<unknown>
}

export type Action = (run: Run) => unknown

export interface Attack {
  readonly name: string
  /** The published vulnerability, or the project, that the row comes from. */
  readonly from?: string
  /** Changes the tree as a person does, before the session. */
  readonly setUp?: (world: World) => void
  readonly action: Action
  /** Changes the disk between the action and the commit. */
  readonly beforeCommit?: (world: World) => void
  /** Perform the action once, because it does not use the call style. */
  readonly once?: boolean
  /** Why the naive adapter is not tested with it. */
  readonly naiveSkipReason?: string
  /** Paths below `World.outer` that must not change although they are in scope. */
  readonly mustNotChange?: readonly string[]
}

export interface AttackClass {
  readonly kind: string
  readonly rows: readonly Attack[]
}

/** A path in a row. `OUTER` and `ROOT` are replaced by the directories of the world. */
export type Spelling = string | ((world: World) => unknown)

function expandPath(world: World, path: Spelling): unknown {
  if (typeof path === 'function') return path(world)
  return path.replace('OUTER', world.outer).replace('ROOT', world.root)
}

/** Writes the mark to a path. */
export const writeMark =
  (path: Spelling): Action =>
  ({ act, world }) =>
    act('writeFile', expandPath(world, path), MARK)

/** Writes the mark, and creates the parent directories first, as a tool does. */
export const plantMark =
  (path: string): Action =>
  async ({ act, fs }) => {
    attempt(() => fs.mkdirSync(path.slice(0, Math.max(0, path.lastIndexOf('/'))) || '.', { recursive: true }))
    await act('writeFile', path, MARK)
  }

/** Performs one op, with `OUTER` and `ROOT` expanded in its arguments. */
export const callOp =
  (op: string, ...args: unknown[]): Action =>
  ({ act, world }) =>
    act(op, ...args.map((arg) => (typeof arg === 'string' ? expandPath(world, arg) : arg)))

/** Runs a step that may throw. Returns undefined if it does. */
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
