import { HOSTS, type HostName, profileOf } from '../hosts/index.js'
import type { NewIntent } from '../index.js'
import type { Asking } from './prompts.js'

/** What a person wants of a new workspace. */
export interface Wanted {
  readonly clients: readonly HostName[]
  readonly intent?: NewIntent
}

/**
 * Asks what `escrow init` would else be told by options. Nothing is done meanwhile.
 * @param found clients whose files are in the directory: they are chosen at first.
 * @returns undefined where the person left.
 */
export async function askForWorkspace(asking: Asking, found: readonly HostName[]): Promise<Wanted | undefined> {
  const choices = HOSTS.map((value) => ({ value, label: profileOf(value).label, isChosen: found.includes(value) }))
  const clients = await asking.some('Which agents work here? (Space selects, Enter continues)', choices)
  if (clients === undefined) return undefined
  const name = await asking.line('What should they work on first?', { shown: 'leave empty to declare it later' })
  if (name === undefined) return undefined
  if (name === '') return { clients }
  const scope = await asking.line('Which paths may they change? (globs, separated by spaces)', { initial: 'src/**' })
  if (scope === undefined) return undefined
  return { clients, intent: { name, ownedScope: scope.split(/\s+/).filter((glob) => glob !== '') } }
}
