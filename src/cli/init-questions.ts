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
  const clients = await asking.some('Which agents work here? (space chooses, enter goes on)', choices)
  if (clients === undefined) return undefined
  const name = await asking.line('What are they to work on first?', { shown: 'leave it empty to say so later' })
  if (name === undefined) return undefined
  if (name === '') return { clients }
  const scope = await asking.line('Which paths may they touch for it? (globs, a space between)', { initial: 'src/**' })
  if (scope === undefined) return undefined
  return { clients, intent: { name, ownedScope: scope.split(/\s+/).filter((glob) => glob !== '') } }
}
