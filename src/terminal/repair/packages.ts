import type { Machine } from './machine.js'

/** How a distribution installs packages, without questions: the person has answered. */
interface PackageManager {
  readonly program: string
  /** The names of its distributions, as `ID` or `ID_LIKE` in /etc/os-release. */
  readonly of: readonly string[]
  readonly install: readonly string[]
  /** Where the lists of packages are that have to be loaded before. */
  readonly lists?: string
}

const MANAGERS: readonly PackageManager[] = [
  {
    program: 'apt-get',
    of: ['debian', 'ubuntu'],
    install: ['install', '-y'],
    lists: '/var/lib/apt/lists',
  },
  { program: 'dnf', of: ['fedora', 'rhel', 'centos'], install: ['install', '-y'] },
  { program: 'apk', of: ['alpine'], install: ['add'] },
  { program: 'pacman', of: ['arch'], install: ['-S', '--needed', '--noconfirm'] },
  { program: 'zypper', of: ['suse', 'opensuse', 'sles'], install: ['--non-interactive', 'install'] },
]

/** The programs of the package managers that escrow knows. */
export const MANAGER_NAMES = MANAGERS.map(({ program }) => program)

/** The commands that install packages; undefined if this machine has no package manager that escrow knows. */
export function installCommands(machine: Machine, packages: readonly string[]): string[][] | undefined {
  const release = osRelease(machine)
  const ids = [release.ID ?? '', ...(release.ID_LIKE ?? '').split(/\s+/)]
  const present = MANAGERS.filter(({ program }) => machine.find(program) !== undefined)
  // A machine can have the package manager of another distribution as a program.
  const manager = present.find(({ of }) => ids.some((name) => of.includes(name))) ?? present[0]
  if (manager === undefined) return undefined
  const { program, install, lists } = manager
  const isListed = lists === undefined || machine.names(lists).some((name) => name.includes('_Packages'))
  const first = isListed ? [] : [[program, 'update']]
  return [...first, [program, ...install, ...packages]]
}

/** The values of /etc/os-release, by name. */
export function osRelease(machine: Machine): Partial<Record<string, string>> {
  const lines = (machine.read('/etc/os-release') ?? '').split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, key, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? []
      return key === undefined || value === undefined ? [] : [[key, value.replace(/^(["'])(.*)\1$/, '$2')]]
    }),
  )
}
