/**
 * The protections that the containment of a command can give. `terminal.require` in policy.yaml names them, each
 * provider lists those that it has, and the suites under test/terminal test each one.
 */
export const PROTECTIONS = {
  write_fence:
    'It changes no file outside its view of the workspace, its temporary directories and the layers of its client.',
  read_mask: 'It reads no file that policy closes, by any name, and none of our own records.',
  network_off: 'It has no network unless it was allowed one.',
  network_by_host: 'It can be given some hosts of the network, and no others.',
  process_fence: 'It neither signals, traces nor reads other processes, and connects to no socket of theirs.',
  process_list: 'It does not see which other processes run, nor their command lines.',
  process_end: 'When it ends, is stopped, or escrow is killed, every process it started ends.',
  call_filter: 'It cannot make the system calls that reach past the other protections, nor gain rights by a program.',
  process_limit: 'It has a largest number of processes.',
  memory_limit: 'It has a largest amount of memory.',
  write_limit: 'It can write a limited number of bytes.',
} as const satisfies Record<string, string>

export type Protection = keyof typeof PROTECTIONS

export const PROTECTION_NAMES = Object.keys(PROTECTIONS) as readonly Protection[]

/** The protections that policy requires by default: those of the person's files, keys, processes and network. */
export const DEFAULT_REQUIRED: readonly Protection[] = [
  'write_fence',
  'read_mask',
  'network_off',
  'process_fence',
  'process_end',
  'call_filter',
  'process_limit',
  'memory_limit',
]

/** A way to contain commands. The name is in the ledger and on the screen. */
export type ContainmentName =
  | 'namespace-overlay'
  | 'namespace-copy'
  | 'landlock-copy'
  | 'seatbelt-copy'
  | 'mxc-contract'

/** A provider as people see it. */
export interface ContainmentInfo {
  readonly name: ContainmentName
  /** Its mechanisms, in one line. */
  readonly title: string
  readonly keeps: readonly Protection[]
  /** Whether a command sees the stage through an overlay mount, at the workspace's own path, or as a copy. */
  readonly tree: 'overlay' | 'copy'
  /** Its limitations, one sentence each. */
  readonly cannot: readonly string[]
  /** A caution that is shown to a person with its name. */
  readonly caution?: string
}

/** A provider's name as people see it, with its caution. */
export function nameOfContainment({ name, caution }: Pick<ContainmentInfo, 'name' | 'caution'>): string {
  return caution === undefined ? name : `${name} (${caution})`
}

/** The reason why a provider does not work here. */
export interface ContainmentFailure {
  /** The missing part, in a word or two. */
  readonly what: string
  readonly problem: string
  /** The next step for the person. */
  readonly fix: string
  /** Whether installing a program or package is enough. Such a failure is reported before one that needs settings of the system. */
  readonly isInstall?: boolean
  /** Whether the machine only lacked processes, memory, files or space at that moment. */
  readonly isShortage?: boolean
}

/** The result of running a command in a provider. */
export type Attempt = { readonly works: true } | { readonly works: false; readonly failure: ContainmentFailure }

/** The result of asking one provider. */
export interface TriedContainment extends ContainmentInfo {
  /** Required protections that it does not keep. It was not tried if there is one. */
  readonly lacks: readonly Protection[]
  /** Whether it ran a command here; undefined if it was not tried. */
  readonly works?: boolean
  readonly failure?: ContainmentFailure
}

export function failuresOf(tried: readonly TriedContainment[]): ContainmentFailure[] {
  return tried.flatMap(({ failure }) => (failure === undefined ? [] : [failure]))
}

/** The failure to report: a shortage, that of the first provider that only needs something installed, or that of the best. */
export function firstToFix(failures: readonly ContainmentFailure[]): ContainmentFailure | undefined {
  return failures.find(({ isShortage }) => isShortage) ?? failures.find(({ isInstall }) => isInstall) ?? failures[0]
}

/** A change of the machine that lets commands be contained. escrowfs makes it if a person agrees. */
export interface Repair {
  /** A package, or the name of a setting of the system. */
  readonly name: string
  /** Its purpose, as a sentence. */
  readonly gives: string
  /** The access that it opens to others; undefined if none. Such a repair is done only if the person types its name. */
  readonly opens?: string
  /** The command lines, without `sudo`. */
  readonly commands: readonly (readonly string[])[]
}

export interface Repairs {
  readonly repairs: readonly Repair[]
  /** Further advice for the person, one or more sentences each. */
  readonly notes: readonly string[]
}
