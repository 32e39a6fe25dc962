import type { ExecResult } from '../core/api.js'
import { defined } from '../core/defined.js'
import { nameOfContainment } from '../core/protection.js'
import type { AdmittedCommand } from './command-gate.js'
import type { CommandMount } from './command-mount.js'

type Mount = Pick<CommandMount, 'isolation' | 'containment'>

/** How C programs and Node name the error of a rename that only a copy can replace. */
const CROSS_DEVICE = /Invalid cross-device link|\bEXDEV\b/

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

/**
 * What to do after a failed rename of a directory, or nothing. Overlayfs fails with EXDEV if the directory existed before the command
 * (docs.kernel.org/filesystems/overlayfs.html, "renaming directories"). In a user namespace the kernel does not allow `redirect_dir`.
 */
export function renameSummary({ containment }: Mount, { exitCode, stdout, stderr }: CommandOutput): string[] {
  if (containment?.tree !== 'overlay' || exitCode === 0 || ![stdout, stderr].some((text) => CROSS_DEVICE.test(text)))
    return []
  return [
    "The sandbox cannot rename a directory that existed before the command. Use 'mv OLD NEW', which copies it, then 'git add -A' for git.",
  ]
}

type CommandOutput = Pick<ExecResult, 'exitCode' | 'stdout' | 'stderr'>
