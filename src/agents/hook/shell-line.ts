import { delimiter } from 'node:path'
import { type CallJudge, findProgram } from '../../index.js'
import { launcherDir, shellWord } from '../../surface/index.js'

/** The command, run by our terminal in the session. The client starts it by a shell, with the environment we have. */
export function shellLine({ session, intent }: CallJudge, command: string, env: NodeJS.ProcessEnv): string {
  const words = ['--session', session, ...(intent ? ['--intent', intent.id] : []), '-c', command]
  return [terminal(env), ...words.map(shellWord)].join(' ')
}

/**
 * By its name, as the person may have allowed it there, where the client finds it by that. The hook itself looks at our launcher first,
 * which the client does not: then it is named by its path, as where a program of a workspace would be started in its place.
 */
function terminal(env: NodeJS.ProcessEnv): string {
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
