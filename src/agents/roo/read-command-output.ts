import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import { commandOutputs, type Session } from '../../index.js'
import { boundedMatcher } from './bounded-match.js'
import { numberLines } from './lines.js'
import { defineTool, lineArgument } from './tool.js'

/** Bytes in one result, as in the host. */
const LIMIT = 32 * 1024
const TIME_MS = 1000
/** Only the beginning of a longer line is searched: it is data. */
const SEARCHED_LENGTH = 10_000

const schema = z.object({
  artifact_id: z.string().min(1),
  search: z.string().max(1000).nullish(),
  offset: z.preprocess(
    (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    z.int().nullish(),
  ),
  limit: lineArgument,
})

type Wanted = z.output<typeof schema>

/** `read_command_output`: a byte range of a long output, or its matching lines with their numbers. */
export const readCommandOutput = defineTool('read_command_output', schema, (wanted) => async (session) => {
  const output = readOutput(session, wanted.artifact_id)
  return wanted.search ? searchOutput(output, wanted, wanted.search) : readPart(output, wanted)
})

function readOutput(session: Session, id: string): Buffer {
  if (!/^cmd-\d+\.txt$/.test(id)) {
    throw new ToolFailure(`Invalid artifact_id format: "${id}". Expected format: cmd-{timestamp}.txt`)
  }
  const output = commandOutputs(session).read(id)
  if (output) return output
  throw new ToolFailure(`Artifact not found: "${id}". Only an output longer than execute_command shows is saved.`)
}

function readPart(output: Buffer, { artifact_id, offset, limit }: Wanted): string {
  const start = offset ?? 0
  if (start < 0 || start >= output.length) {
    const last = output.length - 1
    throw new ToolFailure(
      `Invalid offset: ${start}. File size is ${output.length} bytes. Offset must be between 0 and ${last}.`,
    )
  }
  const end = Math.min(start + (limit ?? LIMIT), output.length)
  const first = 1 + countLineFeeds(output.subarray(0, start))
  const whole = end < output.length ? 'TRUNCATED' : 'COMPLETE'
  return [
    `[Command Output: ${artifact_id}]`,
    `Total size: ${formatSize(output.length)} | Showing bytes ${start}-${end} | ${whole}`,
    numberLines(output.toString('utf8', start, end).split('\n'), first),
  ].join('\n')
}

function countLineFeeds(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines++
  return lines
}

const LF = 0x0a

function searchOutput(output: Buffer, { artifact_id, limit }: Wanted, search: string): string {
  const lines = output.toString('utf8').split('\n')
  const hits = boundedMatcher(TIME_MS)(
    toPattern(search),
    lines.map((line) => line.slice(0, SEARCHED_LENGTH)),
  )
  const head = `[Command Output: ${artifact_id}] (search: "${search}")`
  if (hits.length === 0)
    return `${head}\nTotal size: ${formatSize(output.length)}\n\nNo matches found for the search pattern.`
  let left = limit ?? LIMIT
  const matches: string[] = []
  for (const hit of hits) {
    const line = lines[hit] ?? ''
    left -= Buffer.byteLength(line)
    if (left < 0) break
    matches.push(`${String(hit + 1).padStart(5)} | ${line}`)
  }
  return [head, `Total matches: ${hits.length} | Showing first ${matches.length}`, '', ...matches].join('\n')
}

/** A pattern that is not a valid regex is a literal text. */
function toPattern(search: string): RegExp {
  try {
    return new RegExp(search, 'i')
  } catch {
    return new RegExp(search.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i')
  }
}

/** Formats a size in bytes. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / (1024 * 1024)).toFixed(1)}MB`
}
