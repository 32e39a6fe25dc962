import { incompatible, invalidType, readInteger, readOwnBoolean, readOwnOptions } from './args.js'

/** The options of cp, with Node's defaults. */
export interface CpOptions {
  readonly dereference: boolean
  readonly errorOnExist: boolean
  readonly force: boolean
  readonly preserveTimestamps: boolean
  readonly recursive: boolean
  readonly verbatimSymlinks: boolean
  /** The flags of copyFile. */
  readonly mode: number
  readonly filter: Filter | undefined
}

export type Filter = (src: string, dest: string) => unknown

/** Throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE, ERR_INCOMPATIBLE_OPTION_PAIR. */
export function readCpOptions(value: unknown): CpOptions {
  const fields = readOwnOptions(value)
  const flag = (name: string, fallback: boolean) => readOwnBoolean(fields, name, fallback)
  const options = {
    dereference: flag('dereference', false),
    errorOnExist: flag('errorOnExist', false),
    force: flag('force', true),
    preserveTimestamps: flag('preserveTimestamps', false),
    recursive: flag('recursive', false),
    verbatimSymlinks: flag('verbatimSymlinks', false),
    mode: readInteger('mode', fields.mode ?? 0, 0, 7),
    filter: readFilter(fields.filter),
  }
  if (options.dereference && options.verbatimSymlinks) throw incompatible('dereference', 'verbatimSymlinks')
  return options
}

function readFilter(value: unknown): Filter | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'function') throw invalidType('options.filter', 'of type function', value)
  return (src, dest) => value(src, dest)
}
