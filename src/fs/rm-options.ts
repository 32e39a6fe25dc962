import { invalidValue, readInteger, readLooseOptions, readOwnBoolean, readOwnOptions } from './args.js'
import { RMDIR_REFUSES_RECURSIVE } from './host-traits.js'

/** The options of `rm`. Retries are for busy disks: nothing is retried here. */
export interface RmOptions {
  readonly force: boolean
  readonly recursive: boolean
}

/** Throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE. */
export function readRmOptions(value: unknown): RmOptions {
  const recursive = readTreeOptions(value)
  return { force: readOwnBoolean(readOwnOptions(value), 'force', false), recursive }
}

/** The `recursive` option of `rmdir`. Throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE. */
export function readRmdirOptions(value: unknown): boolean {
  if (!RMDIR_REFUSES_RECURSIVE) return readTreeOptions(value)
  const { recursive } = readLooseOptions(value)
  if (recursive !== undefined) throw invalidValue('options.recursive', recursive, 'is no longer supported')
  readOwnOptions(value)
  return false
}

function readTreeOptions(value: unknown): boolean {
  const options = readOwnOptions(value)
  if (Object.hasOwn(options, 'retryDelay')) readInteger('options.retryDelay', options.retryDelay, 0, 2 ** 31 - 1)
  if (Object.hasOwn(options, 'maxRetries')) readInteger('options.maxRetries', options.maxRetries, 0, 2 ** 32 - 1)
  return readOwnBoolean(options, 'recursive', false)
}
