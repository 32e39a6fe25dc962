import type { FormatSection } from './policy-schema.js'
import { compileGlobs } from './scope.js'

/** A formatter of policy.yaml, and the files it applies to. */
export interface FormatRule {
  /** Globs as written in the file. */
  readonly files: readonly string[]
  /** A shell command line, or a program and its arguments. */
  readonly run: string | readonly string[]
  matches(path: string): boolean
}

/** Each glob with its YAML path in the file. */
export function formatGlobs(format: FormatSection | undefined): (readonly [path: (string | number)[], glob: string])[] {
  if (format === undefined) return []
  if (!Array.isArray(format)) return Object.keys(format).map((glob) => [['format', glob], glob] as const)
  return format.flatMap(({ files }, at) => [files].flat().map((glob) => [['format', at, 'files'], glob] as const))
}

/** The formatters in the order of the file. */
export function formatRules(format: FormatSection | undefined): FormatRule[] {
  if (format === undefined) return []
  const entries = Array.isArray(format)
    ? format.map(({ files, run }) => ({ files: [files].flat(), run }))
    : Object.entries(format).map(([glob, run]) => ({ files: [glob], run }))
  return entries.map(({ files, run }) => ({ files, run, matches: compileGlobs(files.map(anywhere)) }))
}

/** A glob without a slash matches a file name in any directory. */
function anywhere(glob: string): string {
  return glob.includes('/') ? glob : `**/${glob}`
}
