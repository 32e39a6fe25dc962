import { HOSTS, profileOf } from '../hosts/index.js'
import { findProgram } from '../index.js'
import type { FoundClient } from '../surface/index.js'

/** A client. `blocked` is the reason why its hook failed in a test run. */
export interface CheckedClient extends FoundClient {
  readonly blocked?: string
}

/**
 * Tells whether a client is set up, or used here. Texts for its model are in many clones, so they count only if its program is
 * installed. A client without a program of its own may be one in an editor.
 */
export function isUsed({ client, isEntered, hasOnlyTexts }: FoundClient): boolean {
  if (isEntered || hasOnlyTexts !== true) return true
  const programs = profileOf(client).home?.programs
  return programs === undefined || programs.some((name) => findProgram(name).path !== undefined)
}

/** Lists clients in two lines each, and names the others. */
export function renderClients(clients: readonly CheckedClient[]): string {
  const width = Math.max(0, ...clients.map(({ client }) => client.length))
  const listed = clients.flatMap((each) =>
    describeClient(each).map((text, at) => `${(at === 0 ? each.client : '').padEnd(width)}  ${text}\n`),
  )
  const others = HOSTS.filter((name) => !clients.some(({ client }) => client === name))
  const rest = others.length === 0 ? '' : `Not set up here: ${others.join(', ')}. 'escrow init --help' says how to.\n`
  return `${listed.join('')}${rest}`
}

function describeClient({ client, isEntered, problems, blocked }: CheckedClient): readonly string[] {
  if (problems !== undefined) return ['not governed', "escrow's hooks are installed, and do not run"]
  if (blocked !== undefined) return ['blocked', "escrow's hook is installed, and fails"]
  const { how, onFailure } = profileOf(client).governed
  return isEntered
    ? [how, onFailure]
    : ['not governed', `set it up with 'escrow init --${client}', or start it with 'escrow run'`]
}
