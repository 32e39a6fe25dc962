import type { Attempt, ContainmentFailure } from '../core/protection.js'
import { mountsBelow } from '../os/read.js'
import { openSandbox } from './command-place.js'
import type { Containment, Shown } from './containment.js'
import { probeNow } from './probe.js'

/** The kernel's overlayfs in a user namespace, under bubblewrap: a command sees the stage at the workspace's own path, without a copy. */
const namespaceOverlay: Containment = {
  name: 'namespace-overlay',
  title: 'overlayfs in a user namespace, bubblewrap, seccomp',
  keeps: [
    'write_fence',
    'read_mask',
    'network_off',
    'network_by_host',
    'process_fence',
    'process_list',
    'process_end',
    'call_filter',
    'process_limit',
    'memory_limit',
    'write_limit',
  ],
  tree: 'overlay',
  cannot: ['It cannot show a workspace with another mount inside.'],
  async attempt(): Promise<Attempt> {
    const lacking = (await probeNow()).find(({ ok }) => !ok)
    if (lacking === undefined) return { works: true }
    const { name, problem = 'It does not work.', fix = '' } = lacking
    return { works: false, failure: { what: name, problem, fix, isInstall: fix.startsWith('apt-get install') } }
  },
  unfit: nestedMount,
  open: ({ root, gitDir }) => openSandbox(root, gitDir),
}

/** A file system mounted below the workspace hides files of the workspace: overlayfs shows only the files under it. */
function nestedMount({ root }: Shown): ContainmentFailure | undefined {
  const [mount] = mountsBelow(root)
  if (mount === undefined) return undefined
  const problem = `${mount} is a separate mount inside the workspace.`
  return { what: 'mounts', problem, fix: `Mount it outside ${root}, and link to it.` }
}

/** The providers, the best first. */
export const CONTAINMENTS: readonly Containment[] = [namespaceOverlay]
