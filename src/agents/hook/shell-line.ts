import { type CallJudge, findProgram } from '../../index.js'

/** The command, run by our terminal in the session. The client starts it by a shell, with the environment we have. */
export function shellLine({ session, intent }: CallJudge, command: string, env: NodeJS.ProcessEnv): string {
  const words = ['--session', session, ...(intent ? ['--intent', intent.id] : []), '-c', command]
  return [terminal(env), ...words.map(quote)].join(' ')
}

/** By its name, as the person may have allowed it there, unless a program of a workspace would be started in its place. */
function terminal(env: NodeJS.ProcessEnv): string {
  const { path, shadow } = findProgram('escrow-sh', env)
  if (shadow === undefined) return 'escrow-sh'
  if (path !== undefined) return quote(path)
  throw new Error(`The only 'escrow-sh' on PATH lies in a workspace: ${shadow}. Take its directory out of PATH.`)
}

function quote(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
