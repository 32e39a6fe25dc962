import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { isInMount, openJudge, rootOf } from '../../index.js'

/** The environment of a hook. Only tests override it. */
export interface HookDeps {
  readonly env: NodeJS.ProcessEnv
  /** The directory of the hook's own process. */
  readonly cwd: string
  /** The session to judge by, instead of the host's. */
  readonly session?: string
  readonly openJudge: typeof openJudge
  readonly rootOf: typeof rootOf
  readonly isInMount: typeof isInMount
}

export function hookDeps(more: Partial<HookDeps> = {}): HookDeps {
  return { env: process.env, cwd: process.cwd(), openJudge, rootOf, isInMount, ...more }
}

/** The id of the session: the mount's, else the hook's option, else the host's. */
export function sessionIdFor({ env, session }: HookDeps, hostId: string): string {
  return env.ESCROW_SESSION || session || env.ESCROW_SESSION_ID || hostId
}

/** The intent option for opening a judge. */
export function intentOption({ env }: HookDeps): { intent?: string } {
  return env.ESCROW_INTENT_ID ? { intent: env.ESCROW_INTENT_ID } : {}
}

/**
 * Each path that the host may mean by an argument: hosts trim blanks, normalize Unicode and expand `~` in different ways. All
 * candidates are judged.
 */
export function candidatePaths(path: unknown, cwd: string, home = homedir()): string[] {
  if (typeof path !== 'string' || path === '') return []
  const spellings = [path.trim(), path].flatMap((each) => [each, each.normalize('NFC')])
  const places = spellings.map((each) => {
    if (each === '~' || each.startsWith('~/')) return join(home, each.slice(1))
    return isAbsolute(each) ? each : joinPath(cwd, each)
  })
  return [...new Set(places)].filter((each) => each !== '')
}

/** Unlike `resolve`, it keeps `..` after a link for a resolver that follows links. */
function joinPath(cwd: string, path: string): string {
  return path === '' ? '' : `${resolve(cwd)}/${path}`
}
