/** The effects that a command may have, judged by its command line. */
export const COMMAND_CLASSES = ['read-only', 'write', 'build-test', 'network', 'destructive', 'other'] as const

/** The class of a command. `other`: its effects cannot be determined before it runs. */
export type CommandClass = (typeof COMMAND_CLASSES)[number]

/** The effect of `git push`. Without a rule for its class, a person is asked. */
export const PUBLISHES = 'sends commits to another machine'

/** A part of a command line that determined a class. */
export interface ClassReason {
  readonly class: CommandClass
  /** The text of the part. */
  readonly part: string
  /** The effect of the part. */
  readonly because: string
}

/** The classes of all parts of a line. `read-only` only if no part has another class. */
export interface Classified {
  readonly classes: readonly CommandClass[]
  readonly why: readonly ClassReason[]
}
