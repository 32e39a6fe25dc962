import type { Repair, Repairs, TriedContainment } from '../../core/protection.js'
import type { Machine } from './machine.js'
import { installCommands, MANAGER_NAMES, osRelease } from './packages.js'

/** Programs that providers start, with the package that has them: the same name in all distributions. */
const PROGRAMS = [
  { package: 'bubblewrap', programs: ['bwrap'], gives: 'bubblewrap sets up the sandbox of a command.' },
  {
    package: 'util-linux',
    programs: ['unshare', 'nsenter', 'prlimit'],
    gives: 'util-linux has the programs that enter a namespace.',
  },
] as const

const NAMESPACES_OPEN =
  'Every program of every user may then create user namespaces, and so reach parts of the kernel that are otherwise for root alone. ' +
  'Errors in those parts have made local users root. It lasts until the next boot.'

/** Settings that close user namespaces, the most common first. */
const SETTINGS = [
  { name: 'kernel.apparmor_restrict_unprivileged_userns', closed: '1', open: '0', bindsRoot: false },
  { name: 'kernel.unprivileged_userns_clone', closed: '0', open: '1', bindsRoot: false },
  { name: 'user.max_user_namespaces', closed: '0', open: '15000', bindsRoot: true },
] as const

/** The first kernel in which Landlock keeps all that policy requires by default. */
const LANDLOCK_KERNEL = [6, 12] as const

/**
 * Finds the repairs that would let this machine contain commands, or contain them in its best provider. It offers what the distribution has, and a
 * setting of the system only if nothing contains commands now.
 */
export function planRepairs(tried: readonly TriedContainment[], machine: Machine): Repairs {
  if (machine.platform !== 'linux' || tried[0]?.works) return { repairs: [], notes: [] }
  const isContained = tried.some(({ works }) => works)
  const lacking = PROGRAMS.filter(({ programs }) => programs.some((each) => machine.find(each) === undefined))
  const installs = lacking.flatMap(({ package: name, gives }): Repair[] => {
    const commands = installCommands(machine, [name])
    return commands === undefined ? [] : [{ name, gives, commands }]
  })
  const unknown = lacking.slice(installs.length).map(({ package: name }) => name)
  const settings = isContained || isContainer(machine) ? [] : closedSettings(machine)
  return {
    repairs: [...installs, ...overlayModule(machine), ...settings],
    notes: [
      ...(unknown.length > 0 ? [`Install ${unknown.join(' and ')}. None of ${MANAGER_NAMES.join(', ')} is here.`] : []),
      ...(isContained ? [] : otherWays(tried, machine)),
    ],
  }
}

function closedSettings(machine: Machine): Repair[] {
  return SETTINGS.flatMap(({ name, closed, open, bindsRoot }): Repair[] => {
    if (machine.uid === 0 && !bindsRoot) return []
    if (machine.read(`/proc/sys/${name.replaceAll('.', '/')}`) !== closed) return []
    const gives = `It allows user namespaces, which ${name} = ${closed} refuses.`
    return [{ name, gives, opens: NAMESPACES_OPEN, commands: [['sysctl', '-w', `${name}=${open}`]] }]
  })
}

/** A container uses the kernel modules of its host. */
function overlayModule(machine: Machine): Repair[] {
  const known = machine.read('/proc/filesystems')
  if (isContainer(machine) || known === undefined || /\boverlay\b/.test(known)) return []
  const gives = 'The module overlay shows the stage to a command without a copy.'
  return [{ name: 'overlay', gives, commands: [['modprobe', 'overlay']] }]
}

function otherWays(tried: readonly TriedContainment[], machine: Machine): string[] {
  const notes: string[] = []
  if (isContainer(machine))
    notes.push(
      'This is a container, and its settings are those of its host. Start it with ' +
        '--security-opt seccomp=unconfined --security-opt apparmor=unconfined, which also opens the container itself.',
    )
  if (!isSince(machine.kernel, LANDLOCK_KERNEL)) notes.push(newerKernel(machine))
  else if (tried.some(({ failure }) => failure?.what === 'koffi'))
    notes.push("With 'npm install koffi', beside escrowfs, commands need no user namespace.")
  return notes
}

function newerKernel(machine: Machine): string {
  const { ID, VERSION_ID } = osRelease(machine)
  const offered =
    ID === 'ubuntu' && VERSION_ID === '24.04' && !isContainer(machine)
      ? ' Ubuntu has a newer kernel: apt-get install linux-generic-hwe-24.04, then restart.'
      : ''
  return `From Linux 6.12 on, commands need no user namespace, and no setting has to be opened. This is ${machine.kernel}.${offered}`
}

function isContainer(machine: Machine): boolean {
  return machine.exists('/.dockerenv') || machine.exists('/run/.containerenv')
}

function isSince(release: string, [major, minor]: readonly [number, number]): boolean {
  const [, first = 0, second = 0] = (/^(\d+)\.(\d+)/.exec(release) ?? []).map(Number)
  return first > major || (first === major && second >= minor)
}
