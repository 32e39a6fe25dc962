/**
 * True if output goes to a terminal or `FORCE_COLOR` is set.
 * `NO_COLOR` wins over both. Either variable counts as absent when it is empty.
 */
export function wantsColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return isTerminal
}
