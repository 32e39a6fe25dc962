import { isAbsolute, relative, sep } from 'node:path'
import type { Session } from '../../index.js'
import { CODE, RpcFailure } from './message.js'

/** The protocol has absolute paths alone. */
export function absolute(path: string): string {
  if (!isAbsolute(path)) throw new RpcFailure(CODE.params, `An absolute path is expected, and not ${path}.`)
  return path
}

/** Where a path leads. Throws {@link RpcFailure} where that is outside of the workspace: the agent has its own eyes for that. */
export async function inside({ fs }: Session, path: string): Promise<string> {
  const real = await fs.promises.realpath(absolute(path))
  if (isBelow(fs.realpathSync('.'), real)) return real
  throw new RpcFailure(CODE.params, `${path} leads outside of the workspace ${fs.realpathSync('.')}.`)
}

export function isBelow(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
