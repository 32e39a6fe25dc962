import type { ExecResult } from '../core/api.js'
import { defined } from '../core/defined.js'
import { nameOfContainment } from '../core/protection.js'
import type { AdmittedCommand } from './command-gate.js'
import type { CommandMount } from './command-mount.js'

type Mount = Pick<CommandMount, 'isolation' | 'containment'>

/** How a command was contained, for its result. */
export function isolationOf({ isolation, containment }: Mount): Pick<ExecResult, 'isolation' | 'containment'> {
  return { isolation, ...defined({ containment: containment?.name }) }
}

/** How a command was contained, for its ledger record. On a copy without containment it always has the network. */
export function containedBy(mount: Mount, { network }: AdmittedCommand) {
  const how = isolationOf(mount)
  if (network === true || mount.isolation === 'none') return { ...how, network: true }
  return network === false ? { ...how, network } : { ...how, network: false, hosts: network }
}

/** The lines of a summary on containment: none if it is the usual one. */
export function containmentSummary({ containment }: Mount): string[] {
  if (containment === undefined) return []
  const { cannot, tree } = containment
  return tree === 'overlay' ? [] : [`contained by ${nameOfContainment(containment)}. ${cannot.join(' ')}`]
}
