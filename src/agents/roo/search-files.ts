import { basename, dirname } from 'node:path/posix'
import picomatch from 'picomatch'
import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { codeOf, errorText } from '../../surface/index.js'
import { boundedMatcher } from './bounded-match.js'
import { defineTool, pathArgument } from './tool.js'
import { shouldEnter, walk } from './walk.js'

/** Most results, and characters of a line, as in the host; most files, and bytes of a file, to search. */
const RESULTS = 300
const LINE_LENGTH = 500
const FILES = 20_000
const FILE_BYTES = 2_000_000
/** Only the beginning of a longer line is searched: it is a bundle or data. */
const SEARCHED_LENGTH = 10_000
const TIME_MS = 1000

const schema = z.object({
  path: pathArgument,
  regex: z.string().min(1).max(1000),
  file_pattern: z.string().max(300).nullish(),
})

/**
 * `search_files`: the lines that match a regex below a directory, each with its neighbours, by file. It searches
 * the merged view, so it finds staged content, and sets no base: a match shows only a few lines of the file.
 */
export const searchFiles = defineTool('search_files', schema, ({ path, regex, file_pattern }) => {
  const pattern = compile(regex)
  const glob = file_pattern == null || file_pattern === '*' ? undefined : globRegex(file_pattern)
  return async (session) => {
    const match = boundedMatcher(TIME_MS)
    const single = (await session.fs.promises.stat(path)).isFile()
    const names = single ? [basename(path)] : await listFiles(session, path)
    const wanted = glob === undefined ? names : match(glob, names).map((index) => names[index] ?? '')
    return search(session, single ? dirname(path) : path, wanted, (texts) => match(pattern, texts))
  }
})

/** Models write the host's dialect, in which a leading `(?i)` ignores case. */
function compile(regex: string): RegExp {
  const inline = /^\(\?([ims]+)\)/.exec(regex)
  try {
    return new RegExp(regex.slice(inline?.[0].length ?? 0), inline?.[1] ?? '')
  } catch (error) {
    throw new ToolFailure(`The regex cannot be used: ${errorText(error)}`)
  }
}

/** A glob without a slash matches a file name at any depth, one with a slash the path from the searched directory. */
function globRegex(glob: string): RegExp {
  return picomatch.makeRe(glob.includes('/') ? glob.replace(/^\//, '') : `**/${glob}`, { dot: true, nonegate: true })
}

async function listFiles(session: Session, path: string): Promise<string[]> {
  const names: string[] = []
  for await (const entry of walk(session, path, shouldEnter)) {
    if (!entry.directory) names.push(entry.path)
    if (names.length >= FILES) break
  }
  return names.sort()
}

async function search(
  session: Session,
  path: string,
  names: readonly string[],
  match: (texts: readonly string[]) => number[],
): Promise<string> {
  const base = path.replace(/^\.\/|\/+$/g, '')
  const sections: string[] = []
  let count = 0
  for (const name of names) {
    const file = base === '' || base === '.' ? name : `${base}/${name}`
    const lines = await readLines(session, file)
    const hits = match(lines).slice(0, RESULTS - count)
    if (hits.length === 0) continue
    count += hits.length
    sections.push(
      `# ${file}\n${groupHits(hits, lines.length)
        .map((group) => formatGroup(lines, group))
        .join('')}`,
    )
    if (count >= RESULTS) break
  }
  const head =
    count >= RESULTS
      ? `Only the first ${RESULTS} results are shown. Use a narrower pattern or path.`
      : `Found ${count} result${count === 1 ? '' : 's'}.`
  return [head, ...sections].join('\n\n').trimEnd()
}

/** The lines of a file; empty for a file that is binary, too large, or removed since it was listed. */
async function readLines(session: Session, file: string): Promise<string[]> {
  try {
    if ((await session.fs.promises.stat(file)).size > FILE_BYTES) return []
    const text = await session.fs.promises.readFile(file, 'utf8')
    if (text.includes('\0')) return []
    const lines = text.split(/\r?\n/).map((line) => line.slice(0, SEARCHED_LENGTH))
    if (lines.at(-1) === '') lines.pop()
    return lines
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}

interface Group {
  readonly first: number
  last: number
}

/** Groups matches with a line of context on each side; adjoining groups are merged. */
function groupHits(hits: readonly number[], length: number): Group[] {
  const groups: Group[] = []
  for (const hit of hits) {
    const last = Math.min(length - 1, hit + 1)
    const open = groups.at(-1)
    if (open !== undefined && hit - 1 <= open.last + 1) open.last = last
    else groups.push({ first: Math.max(0, hit - 1), last })
  }
  return groups
}

function formatGroup(lines: readonly string[], { first, last }: Group): string {
  const texts = lines.slice(first, last + 1).map((line, index) => {
    const cut = line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)} [line cut]` : line
    return `${String(first + index + 1).padStart(3)} | ${cut.trimEnd()}\n`
  })
  return `${texts.join('')}----\n`
}
