import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { codeOf } from '../../overlay/index.js'

/** The size limit of a card that names a lock's holder, in bytes; far more than one needs. */
export const MAX_CARD_BYTES = 64 * 1024

/** The identity of a process. Another process uses it to check whether this one is still alive. */
export interface ProcessIdentity {
  readonly pid: number
  /** The machine, boot and pid namespace that the pid belongs to. */
  readonly host: string
  readonly boot: string
  readonly pidNamespace: string
  /** The start of the process in clock ticks since boot. It distinguishes the process from a later one with the same pid. */
  readonly start: string
}

export function thisProcess(): ProcessIdentity {
  self ??= identify()
  return self
}

let self: ProcessIdentity | undefined

function identify(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    boot: textOf('/proc/sys/kernel/random/boot_id'),
    pidNamespace: linkOf('/proc/self/ns/pid'),
    start: statusOf(process.pid)?.start ?? '',
  }
}

/**
 * True only when a process is provably dead: on the same machine another boot, or in the same pid namespace no such
 * pid, a zombie, or a reused pid. Everything unknown counts as alive.
 */
export function isDead(other: ProcessIdentity): boolean {
  const here = thisProcess()
  if (!isThisMachine(other)) return false
  if (other.boot !== '' && here.boot !== '' && other.boot !== here.boot) return true
  if (isOutOfSight(other)) return false
  if (!exists(other.pid)) return true
  const status = statusOf(other.pid)
  if (!status) return false
  return status.state === 'Z' || (other.start !== '' && status.start !== other.start)
}

/** Whether this process cannot look for another: one on another machine, or in another container. */
export function isOutOfSight(other: ProcessIdentity): boolean {
  return !isThisMachine(other) || other.pidNamespace !== thisProcess().pidNamespace
}

/** The name of a machine can change while it runs, with its network for example, so the same boot is enough. */
function isThisMachine(other: ProcessIdentity): boolean {
  const here = thisProcess()
  return other.host === here.host || (other.boot !== '' && other.boot === here.boot)
}

/** True only when a process provably lives, running or stopped. The name of its machine may have changed since. */
export function isAlive(other: ProcessIdentity): boolean {
  const here = thisProcess()
  if (other.boot !== here.boot || other.pidNamespace !== here.pidNamespace) return false
  return other.start !== '' && startOf(other.pid) === other.start
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

/** When a process was started; undefined once it is gone. A zombie is gone. */
export function startOf(pid: number): string | undefined {
  const status = statusOf(pid)
  return status && !/[ZX]/.test(status.state) ? status.start : undefined
}

/** proc(5): the fields after the command's closing bracket. The first is the state, the twentieth the start time. */
function statusOf(pid: number): { state: string; start: string } | undefined {
  const text = textOf(`/proc/${pid}/stat`)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, start] = [fields[0], fields[19]]
  return state && start ? { state, start } : undefined
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
