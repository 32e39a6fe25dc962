import type { SystemCall } from '../system-calls.js'

/** The launcher's answer to a system call that the filter passes to it. */
export type AskedKind = 'mode' | 'owner' | 'times' | 'socket' | 'connection'

/** How the launcher calls this machine's kernel. */
export interface LaunchMachine {
  /** The file of the koffi package, which calls functions of the C library. */
  readonly koffi: string
  readonly numbers: Readonly<Partial<Record<SystemCall, number | null>>>
}

/** The program that the launcher starts, and its restrictions. */
export interface LaunchJob {
  /** The calls that the filter hands to the launcher, by number. */
  readonly asked: Readonly<Record<number, readonly [kind: AskedKind, name: SystemCall]>>
  /** The seccomp filter, in base64. */
  readonly filter: string
  readonly ruleset: { readonly files: number; readonly network: number; readonly scoped: number }
  /** The port of the proxy on loopback that the command may connect to. */
  readonly proxy?: number
  readonly rules: readonly (readonly [path: string, access: number])[]
  /** Directories in which the command may change the attributes of files. */
  readonly writable: readonly string[]
  readonly args: readonly string[]
  readonly env: readonly string[]
  readonly cwd: string
  /** The command stays in our process group. */
  readonly sharesGroup: boolean
  readonly processes: number
  readonly memory: number
}

/** The launcher's reports, one line of JSON each. */
export type LaunchReport =
  | { readonly pid: number }
  /** The command has connected to the proxy, from this port. */
  | { readonly connected: number }
  | { readonly error: string }
  | { readonly exit: number; readonly ended?: 'processes' | 'memory' }

/** The numbers that the parts of the launcher share. */
export const LAUNCHER = {
  /** The descriptor of the channel: the job comes in, reports go out. */
  channel: 3,
  /** Places in the memory that the launcher shares with its restricted thread. */
  slots: { state: 0, listener: 1, command: 2, guard: 3, guardInput: 4, gate: 5, thread: 6, job: 7 },
  /** Values of the slot `state`. */
  states: { listening: 1, begun: 2, failed: 3 },
} as const
