import { z } from 'zod'
import { compileGlobs } from './scope.js'

/** A formatter a person named, and the files it is for. */
export interface FormatRule {
  /** As the file spells them. */
  readonly files: readonly string[]
  /** A line of the shell, or a program and its words. */
  readonly run: string | readonly string[]
  matches(path: string): boolean
}

const words = z.string({ error: 'a text is expected; put it in quotes' }).min(1, { error: 'a command is expected' })
const command = z.union([words, z.array(words).min(1, { error: 'a command is expected' })], {
  error: 'a command is expected: a text, or a list of its words',
})
const globs = z.union([words, z.array(words)], { error: 'a glob, or a list of globs, is expected' })

/** `format`: globs → command as a map, or a list where the order counts. */
export const formatSchema = z.union(
  [z.record(z.string(), command), z.array(z.strictObject({ files: globs, run: command }))],
  { error: 'a map of glob to command is expected, or a list of { files, run }' },
)

export type FormatSection = z.infer<typeof formatSchema>

/** Each glob with the way to it in the file. */
export function formatGlobs(format: FormatSection | undefined): (readonly [path: (string | number)[], glob: string])[] {
  if (format === undefined) return []
  if (!Array.isArray(format)) return Object.keys(format).map((glob) => [['format', glob], glob] as const)
  return format.flatMap(({ files }, at) => [files].flat().map((glob) => [['format', at, 'files'], glob] as const))
}

/** In the order of the file. */
export function formatRules(format: FormatSection | undefined): FormatRule[] {
  if (format === undefined) return []
  const entries = Array.isArray(format)
    ? format.map(({ files, run }) => ({ files: [files].flat(), run }))
    : Object.entries(format).map(([glob, run]) => ({ files: [glob], run }))
  return entries.map(({ files, run }) => ({ files, run, matches: compileGlobs(files.map(anywhere)) }))
}

/** A glob without a slash is a file's name, wherever it is. */
function anywhere(glob: string): string {
  return glob.includes('/') ? glob : `**/${glob}`
}
