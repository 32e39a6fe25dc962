/**
 * Whether to print in colour: where a person sees it, or where `FORCE_COLOR` says so.
 * `NO_COLOR` wins over both. Either variable counts as absent when it is empty.
 */
export function wantsColor(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return isTerminal
}
