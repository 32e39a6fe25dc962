import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { HOSTS, type HostName, profileOf } from '../hosts/index.js'
import type { NewIntent } from '../index.js'
import { proposeScope } from '../surface/index.js'
import type { Prompts } from './prompts.js'

/** The answers for a new workspace. */
export interface WorkspaceAnswers {
  readonly clients: readonly HostName[]
  readonly intent?: NewIntent
}

/**
 * Asks for the values that `escrow init` otherwise takes from options. Changes nothing.
 * @param root the directory, for the scope that is proposed
 * @param found clients whose files are in the directory; they are preselected
 * @returns undefined if the person left
 */
export async function askForWorkspace(
  prompts: Prompts,
  found: readonly HostName[],
  root: string,
): Promise<WorkspaceAnswers | undefined> {
  const choices = HOSTS.map((value) => ({ value, label: profileOf(value).label, isSelected: found.includes(value) }))
  const clients = await prompts.multiselect('Which agents work here? (Space selects, Enter continues)', choices)
  if (clients === undefined) return undefined
  const name = await prompts.text('What should they work on first?', { placeholder: 'leave empty to declare it later' })
  if (name === undefined) return undefined
  if (name === '') return { clients }
  const initial = existsSync(join(root, 'src')) ? 'src/**' : proposeScope(root).join(' ')
  const scope = await prompts.text('Which paths may they change? (globs, separated by spaces)', { initial })
  if (scope === undefined) return undefined
  return { clients, intent: { name, ownedScope: scope.split(/\s+/).filter((glob) => glob !== '') } }
}
