import type { Dirent } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { invalidType, readBoolean, readInteger } from './args.js'
import { GLOB_TAKES_DEPTH } from './host-traits.js'

/** The arguments of fs.glob, as the hosts that have it read them. */
export interface GlobOptions {
  readonly patterns: readonly string[]
  /** The directory where patterns begin; the workspace root by default. */
  readonly cwd: string
  readonly withFileTypes: boolean
  readonly followSymlinks: boolean
  /** The most directories and names of a result, from `cwd` on. */
  readonly maxDepth: number
  /** Globs of entries to leave out, or the caller's own test. */
  readonly exclude: readonly string[] | ((entry: string | Dirent) => unknown)
}

/** Throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE. */
export function readGlobOptions(pattern: unknown, options: unknown = {}): GlobOptions {
  if (typeof options !== 'object' || options === null) throw invalidType('options', 'of type object', options)
  const { cwd, exclude, withFileTypes, followSymlinks, maxDepth }: Readonly<Record<string, unknown>> = { ...options }
  return {
    patterns: readPatterns(pattern),
    cwd: readCwd(cwd),
    withFileTypes: Boolean(withFileTypes),
    followSymlinks: readBoolean('options.followSymlinks', followSymlinks ?? undefined, false),
    maxDepth: readMaxDepth(maxDepth),
    exclude: readExclude(exclude),
  }
}

function readPatterns(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return readStrings('patterns', 'of type string', value)
}

function readCwd(value: unknown): string {
  if (value === undefined || value === null) return '.'
  if (value instanceof URL) return fileURLToPath(value)
  if (typeof value !== 'string') throw invalidType('options.cwd', 'of type string', value)
  return value
}

function readMaxDepth(value: unknown): number {
  if (!GLOB_TAKES_DEPTH || value === undefined || value === null || value === Number.POSITIVE_INFINITY)
    return Number.POSITIVE_INFINITY
  return readInteger('options.maxDepth', value, 0, Number.MAX_SAFE_INTEGER)
}

function readExclude(value: unknown): GlobOptions['exclude'] {
  if (value === undefined || value === null) return []
  if (typeof value === 'function') return (entry) => value(entry)
  return readStrings('options.exclude', 'an instance of string[] or of type function', value)
}

function readStrings(name: string, expected: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw invalidType(name, expected, value)
  return value.map((each: unknown, i) => {
    if (typeof each !== 'string') throw invalidType(`${name}[${i}]`, 'of type string', each)
    return each
  })
}
