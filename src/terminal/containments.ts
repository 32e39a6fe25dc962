import { foldsNames } from '../../overlay/index.js'
import { ORCHESTRATION } from '../core/layout.js'
import type { Attempt, ContainmentFailure } from '../core/protection.js'
import { mountsBelow } from '../os/read.js'
import { attemptIn } from './attempt-in.js'
import { openSandbox } from './command-place.js'
import type { Containment, Shown } from './containment.js'
import { openAlone } from './landlock/place.js'
import { koffiFile } from './landlock/run.js'
import { openNamespaceCopy } from './namespace-copy.js'
import { bubblewrap, type Capability, NO_NAMESPACES, probeNow } from './probe.js'
import { hasCopyParent, SET_TMPDIR, UNFIT } from './scratch-places.js'
import { mxcContract, seatbeltCopy } from './seatbelt/containment.js'

/** The limits of commands on a copy. */
const OF_COPIES = [
  'It has no git of its own where the repository is outside the workspace, as in a linked worktree.',
  'It does not see what others stage while it runs.',
  "A client's directories are copied, up to 1 GiB each, and '--home' is refused.",
]

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
  cannot: [
    'It cannot show a workspace with another mount inside, or on a file system that ignores case.',
    'It cannot rename a directory that existed before the command: mv copies it, and git mv fails.',
  ],
  async attempt(): Promise<Attempt> {
    const lacking = (await probeNow()).find(({ ok }) => !ok)
    return lacking === undefined ? { works: true } : failedAttempt(lacking)
  },
  unfit: (shown) => nestedMount(shown) ?? ignoredCase(shown),
  open: ({ root, gitDir }) => openSandbox(root, gitDir),
}

function failedAttempt({ name, problem = 'It does not work.', fix = '' }: Capability): Attempt {
  return { works: false, failure: { what: name, problem, fix, isInstall: fix.startsWith('apt-get install') } }
}

/**
 * A file system mounted below the workspace hides files of the workspace. Overlayfs shows only the hidden files, and in
 * a user namespace the kernel does not allow the mount to be separated.
 */
function nestedMount({ root }: Shown): ContainmentFailure | undefined {
  const [mount] = mountsBelow(root)
  if (mount === undefined) return undefined
  const problem = `${mount} is a separate mount inside the workspace.`
  return { what: 'mounts', problem, fix: `Mount it outside ${root}, and link to it.` }
}

/**
 * Overlayfs tells names apart by case, also above a file system that does not. There, a hidden `.env` could be read as `.ENV`, and two
 * names of one file have two contents.
 */
function ignoredCase({ root }: Shown): ContainmentFailure | undefined {
  if (!foldsNames(`${root}/${ORCHESTRATION}`)) return undefined
  const problem = `The file system of ${root} ignores case, which overlayfs does not.`
  return { what: 'file names', problem, fix: 'Move the workspace to a file system that tells names apart by case.' }
}

/** The same with a copy of the workspace, where overlayfs is refused in a namespace. */
const namespaceCopy: Containment = {
  name: 'namespace-copy',
  title: 'a copy in a user namespace, bubblewrap, seccomp',
  keeps: namespaceOverlay.keeps.filter((each) => each !== 'write_limit'),
  tree: 'copy',
  cannot: [...OF_COPIES, 'It cannot show a workspace with another mount inside.'],
  async attempt(): Promise<Attempt> {
    const found = bubblewrap()
    return found.ok
      ? attemptCopy(openNamespaceCopy, { what: 'user namespaces', fix: NO_NAMESPACES })
      : failedAttempt(found)
  },
  unfit: nestedMount,
  open: openNamespaceCopy,
}

/** Runs a command on a copy, if there is a place for one. */
async function attemptCopy(...[open, about]: Parameters<typeof attemptIn>): Promise<Attempt> {
  if (hasCopyParent()) return attemptIn(open, about)
  return { works: false, failure: { what: 'temporary files', problem: `${UNFIT}.`, fix: SET_TMPDIR } }
}

/** A copy under Landlock and seccomp, where namespaces are refused. Its protections are listed, never derived: they are a promise. */
const landlockCopy: Containment = {
  name: 'landlock-copy',
  title: 'a copy, Landlock, seccomp',
  keeps: [
    'write_fence',
    'read_mask',
    'network_off',
    'network_by_host',
    'process_fence',
    'process_end',
    'call_filter',
    'process_limit',
    'memory_limit',
  ],
  tree: 'copy',
  cannot: [
    ...OF_COPIES,
    'A command sees the workspace at another path, and the names and command lines of other processes.',
    'It has no network on the same machine either, no pseudo-terminals, no shared memory of System V or POSIX, and no extended attributes.',
    'A directory above a hidden path cannot be listed.',
    'A client can change its settings in its copy of them while it runs. The next command gets them as the person left them.',
  ],
  async attempt(): Promise<Attempt> {
    try {
      koffiFile()
    } catch {
      const problem = 'The optional package koffi is not installed.'
      return { works: false, failure: { what: 'koffi', problem, fix: 'npm install koffi', isInstall: true } }
    }
    return attemptCopy(openAlone, {
      what: 'Landlock',
      fix: 'Linux 6.12 or later, with Landlock among its security modules',
    })
  },
  open: openAlone,
}

const BY_PLATFORM: Partial<Record<NodeJS.Platform, readonly Containment[]>> = {
  darwin: [seatbeltCopy],
  win32: [mxcContract],
}

/** The providers of this platform, the best first. */
export const CONTAINMENTS: readonly Containment[] = BY_PLATFORM[process.platform] ?? [
  namespaceOverlay,
  namespaceCopy,
  landlockCopy,
]
