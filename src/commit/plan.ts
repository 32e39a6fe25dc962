import { type FileState, sha256hex } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { isObject } from '../core/is-object.js'
import type { Plan, PlannedChange } from './types.js'

const OPS: readonly unknown[] = ['create', 'overwrite', 'delete', 'mkdir', 'rmdir', 'chmod', 'move']
const TYPES: readonly unknown[] = ['file', 'dir', 'symlink']

/** The content of a plan's file: one line of JSON, and one with that line's SHA-256. */
export function encodePlan(plan: Plan): string {
  const json = JSON.stringify(plan)
  return `${json}\n${sha256hex(json)}\n`
}

/** Parses a plan. Throws `ledger_corrupt` when a byte of it was changed or its version is unknown. */
export function decodePlan(text: string, name: string): Plan {
  const [json = '', sum] = text.split('\n')
  if (sha256hex(json) !== sum) throw corrupt(name, 'its checksum does not match')
  const value: unknown = JSON.parse(json)
  if (!isPlan(value)) throw corrupt(name, 'this version does not know its format')
  return value
}

/** Whether no segment of a relative path leads upwards. */
export function isPlainPath(path: string): boolean {
  if (path.includes('\0') || (process.platform === 'win32' && /[\\:]/.test(path))) return false
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

function corrupt(name: string, why: string): EscrowError {
  return new EscrowError('ledger_corrupt', `The commit journal ${name} cannot be used: ${why}.`, {
    hint: 'Restore the file from a backup. Or compare the workspace with it by hand, then move it away.',
  })
}

function isPlan(value: unknown): value is Plan {
  return (
    isObject(value) &&
    value.version === 3 &&
    Number.isSafeInteger(value.seq) &&
    typeof value.tx === 'string' &&
    isPlainPath(value.tx) &&
    !value.tx.includes('/') &&
    isObject(value.dir) &&
    typeof value.dir.name === 'string' &&
    /^[\w-]+$/.test(value.dir.name) &&
    typeof value.dir.inode === 'string' &&
    typeof value.sessionId === 'string' &&
    typeof value.strict === 'boolean' &&
    Array.isArray(value.records) &&
    value.records.every(isObject) &&
    (value.noted === undefined || (Array.isArray(value.noted) && value.noted.every(isObject))) &&
    Array.isArray(value.changes) &&
    value.changes.every(isChange)
  )
}

function isChange(value: unknown): value is PlannedChange {
  return (
    isObject(value) &&
    Number.isSafeInteger(value.n) &&
    typeof value.path === 'string' &&
    isPlainPath(value.path) &&
    OPS.includes(value.op) &&
    isStateOrNull(value.old) &&
    isStateOrNull(value.new) &&
    (value.from === undefined || (typeof value.from === 'string' && isPlainPath(value.from))) &&
    (value.op !== 'move' || (value.from !== undefined && typeof value.inode === 'string'))
  )
}

function isStateOrNull(value: unknown): value is FileState | null {
  if (value === null) return true
  return (
    isObject(value) && TYPES.includes(value.type) && typeof value.digest === 'string' && Number.isInteger(value.mode)
  )
}
