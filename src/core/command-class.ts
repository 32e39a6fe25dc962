/** What a command may do, as far as its line tells. */
export const COMMAND_CLASSES = ['read-only', 'write', 'build-test', 'network', 'destructive', 'other'] as const

/** `other`: nobody can tell before it runs. */
export type CommandClass = (typeof COMMAND_CLASSES)[number]

/** One part of a command line that decided. */
export interface ClassReason {
  readonly class: CommandClass
  /** The part, as it stands in the line. */
  readonly part: string
  /** What it does. */
  readonly because: string
}

/** The classes of a line are those of all its parts; `read-only` only where no part is anything else. */
export interface Classified {
  readonly classes: readonly CommandClass[]
  readonly why: readonly ClassReason[]
}
