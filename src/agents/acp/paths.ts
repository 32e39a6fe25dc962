import { isAbsolute, relative, sep } from 'node:path'
import type { Session } from '../../index.js'
import { CODE, RpcFailure } from './message.js'

/** The protocol allows only absolute paths. */
export function assertAbsolute(path: string): string {
  if (!isAbsolute(path)) throw new RpcFailure(CODE.params, `An absolute path is expected, and not ${path}.`)
  return path
}

/** Resolves a path. @throws RpcFailure outside of the workspace: the agent can read there by itself */
export async function resolveInWorkspace({ fs }: Session, path: string): Promise<string> {
  const real = await fs.promises.realpath(assertAbsolute(path))
  if (isBelow(fs.realpathSync('.'), real)) return real
  throw new RpcFailure(CODE.params, `${path} leads outside of the workspace ${fs.realpathSync('.')}.`)
}

export function isBelow(root: string, path: string): boolean {
  const relativePath = relative(root, path)
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}
