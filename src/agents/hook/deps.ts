import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { isInMount, openJudge, rootOf } from '../../index.js'

/** What a hook goes by; told otherwise by tests alone. */
export interface HookDeps {
  readonly env: NodeJS.ProcessEnv
  /** The directory of the hook's own process. */
  readonly cwd: string
  /** The session to judge by, in the place of the one the host names. */
  readonly session?: string
  readonly openJudge: typeof openJudge
  readonly rootOf: typeof rootOf
  readonly isInMount: typeof isInMount
}

export function hookDeps(more: Partial<HookDeps> = {}): HookDeps {
  return { env: process.env, cwd: process.cwd(), openJudge, rootOf, isInMount, ...more }
}

/** Inside of a mount its session; else the one that was named for the hook, else the host's own. */
export function sessionFor({ env, session }: HookDeps, hosts: string): string {
  return env.ESCROW_SESSION || session || env.ESCROW_SESSION_ID || hosts
}

/** The rest of the options a judge is opened with. */
export function intentFor({ env }: HookDeps): { intent?: string } {
  return env.ESCROW_INTENT_ID ? { intent: env.ESCROW_INTENT_ID } : {}
}

/**
 * Each place a path argument may mean to the host: hosts cut blanks, compose letters and know `~`, each in a way of its own.
 * All of them are judged.
 */
export function placesOf(path: unknown, cwd: string, home = homedir()): string[] {
  if (typeof path !== 'string' || path === '') return []
  const spelt = [path.trim(), path].flatMap((each) => [each, each.normalize('NFC')])
  const places = spelt.map((each) => {
    if (each === '~' || each.startsWith('~/')) return join(home, each.slice(1))
    return isAbsolute(each) ? each : joinPath(cwd, each)
  })
  return [...new Set(places)].filter((each) => each !== '')
}

/** Unlike `resolve` it leaves `..` behind a link to who follows links. */
function joinPath(cwd: string, path: string): string {
  return path === '' ? '' : `${resolve(cwd)}/${path}`
}
