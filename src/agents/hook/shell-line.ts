import { delimiter } from 'node:path'
import { type CallJudge, findProgram } from '../../index.js'
import { launcherDir, shellWord } from '../../surface/index.js'

/** Builds the shell command that runs a command in escrow-sh. The client starts it in a shell with our environment. */
export function buildShellLine({ session, intent }: CallJudge, command: string, env: NodeJS.ProcessEnv): string {
  const args = ['--session', session, ...(intent ? ['--intent', intent.id] : []), '-c', command]
  return [shellProgram(env), ...args.map(shellWord)].join(' ')
}

/**
 * The program as the client's shell finds it. It is the plain name if PATH finds it, because the person may have
 * allowed that name. The hook's own PATH also has our launcher directory; the client's does not, so that program is
 * named by its path.
 */
function shellProgram(env: NodeJS.ProcessEnv): string {
  const places = (env.PATH ?? '').split(delimiter).filter((place) => place !== launcherDir())
  const { path, shadow } = findProgram('escrow-sh', { ...env, PATH: places.join(delimiter) })
  if (path !== undefined && shadow === undefined) return 'escrow-sh'
  const known = path ?? findProgram('escrow-sh', env).path
  if (known !== undefined) return shellWord(known)
  if (shadow === undefined) return 'escrow-sh'
  throw new Error(
    `The only 'escrow-sh' on PATH is in a workspace: ${shadow}. Ask the person to remove its directory from PATH.`,
  )
}
