import { z } from 'zod'
import { compileGlobs } from './scope.js'

/** A formatter of policy.yaml, and the files it applies to. */
export interface FormatRule {
  /** Globs as written in the file. */
  readonly files: readonly string[]
  /** A shell command line, or a program and its arguments. */
  readonly run: string | readonly string[]
  matches(path: string): boolean
}

const commandText = z
  .string({ error: 'a text is expected; put it in quotes' })
  .min(1, { error: 'a command is expected' })
const command = z.union([commandText, z.array(commandText).min(1, { error: 'a command is expected' })], {
  error: 'a command is expected: a text, or a list of its words',
})
const globs = z.union([commandText, z.array(commandText)], { error: 'a glob, or a list of globs, is expected' })

/** `format`: a map of glob to command, or a list where the order matters. */
export const formatSchema = z.union(
  [z.record(z.string(), command), z.array(z.strictObject({ files: globs, run: command }))],
  { error: 'a map of glob to command is expected, or a list of { files, run }' },
)

export type FormatSection = z.infer<typeof formatSchema>

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
