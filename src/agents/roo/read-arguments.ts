import { z } from 'zod'
import { blockAround } from './indentation.js'
import { flagArgument, lineArgument, pathArgument } from './tool.js'

/** Lines to return when a call has no limit, as in the host. */
const DEFAULT_LINES = 2000

export interface Slice {
  /** The first line, from 1. */
  readonly offset: number
  readonly limit: number
}

/** A file to return, with its slices. */
export interface ReadRequest {
  readonly path: string
  slices(lines: readonly string[]): readonly Slice[]
}

const range = z.union([
  z.tuple([z.int().positive(), z.int().positive()]),
  z.object({ start: z.int().positive(), end: z.int().positive() }).transform(({ start, end }) => [start, end] as const),
])

const entry = z.object({
  path: pathArgument,
  line_ranges: z.array(range).nullish(),
  lineRanges: z.array(range).nullish(),
})

const block = z.object({
  anchor_line: lineArgument,
  max_levels: z.int().min(0).nullish(),
  include_siblings: flagArgument,
  max_lines: lineArgument,
})

const fields = z.object({
  path: pathArgument.nullish(),
  mode: z.enum(['slice', 'indentation']).nullish(),
  offset: lineArgument,
  limit: lineArgument,
  indentation: block.nullish(),
  files: z.array(entry).min(1).nullish(),
})

/** The arguments of `read_file` in both forms, as requests for files. */
export const readArguments = fields.transform((args, context): ReadRequest[] => {
  if (args.files != null) return args.files.map(fromEntry)
  if (args.path != null) return [fromPath(args.path, args)]
  context.addIssue({ code: 'custom', path: ['path'], message: 'A path is required.' })
  return z.NEVER
})

function fromEntry({ path, line_ranges, lineRanges }: z.output<typeof entry>): ReadRequest {
  const ranges = line_ranges ?? lineRanges ?? []
  const slices = ranges.map(([start, end]) => ({ offset: start, limit: Math.max(0, end - start + 1) }))
  return { path, slices: () => (slices.length > 0 ? slices : [{ offset: 1, limit: DEFAULT_LINES }]) }
}

function fromPath(path: string, args: z.output<typeof fields>): ReadRequest {
  const limit = args.limit ?? DEFAULT_LINES
  if (args.mode !== 'indentation') return { path, slices: () => [{ offset: args.offset ?? 1, limit }] }
  const { anchor_line, max_levels, include_siblings, max_lines } = args.indentation ?? {}
  const options = {
    anchor: anchor_line ?? args.offset ?? 1,
    levels: max_levels ?? 0,
    siblings: include_siblings ?? false,
    limit: Math.min(limit, max_lines ?? limit),
  }
  const slices = (lines: readonly string[]) => {
    const [first, last] = blockAround(lines, options)
    return [{ offset: first, limit: last - first + 1 }]
  }
  return { path, slices }
}
