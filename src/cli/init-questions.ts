import { HOSTS, type HostName, profileOf } from '../hosts/index.js'
import type { NewIntent } from '../index.js'
import type { Prompts } from './prompts.js'

/** The answers for a new workspace. */
export interface WorkspaceAnswers {
  readonly clients: readonly HostName[]
  readonly intent?: NewIntent
}

/**
 * Asks for the values that `escrow init` otherwise takes from options. Changes nothing.
 * @param found clients whose files are in the directory; they are preselected
 * @returns undefined if the person left
 */
export async function askForWorkspace(
  prompts: Prompts,
  found: readonly HostName[],
): Promise<WorkspaceAnswers | undefined> {
  const choices = HOSTS.map((value) => ({ value, label: profileOf(value).label, isSelected: found.includes(value) }))
  const clients = await prompts.multiselect('Which agents work here? (Space selects, Enter continues)', choices)
  if (clients === undefined) return undefined
  const name = await prompts.text('What should they work on first?', { placeholder: 'leave empty to declare it later' })
  if (name === undefined) return undefined
  if (name === '') return { clients }
  const scope = await prompts.text('Which paths may they change? (globs, separated by spaces)', { initial: 'src/**' })
  if (scope === undefined) return undefined
  return { clients, intent: { name, ownedScope: scope.split(/\s+/).filter((glob) => glob !== '') } }
}
