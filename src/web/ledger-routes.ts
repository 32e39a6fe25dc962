import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import { defined } from '../core/defined.js'
import type { BlameLine, Workspace } from '../index.js'
import { authorOf, loadHighlighter, pathsOf, readBlamed, toHistoryEntry } from '../surface/index.js'
import { BadRequest } from './failure.js'
import { highlightLines, pieces } from './lines.js'
import { parseWholeNumber } from './read-routes.js'
import type { WireBlame, WireRecord, WireTimeline } from './wire.js'

/** Records, and lines of blame, in one response. */
const RECORDS_PER_PAGE = 200
const LINES_PER_PAGE = 1_000
/** Paths listed for a record, and for the whole ledger. */
const PATHS_PER_RECORD = 20
const PATHS_PER_LIST = 5_000

/** Routes for the ledger: its records, the author of each line of a file, and statistics. */
export function ledgerRoutes(workspace: Workspace): Hono {
  const app = new Hono()
  app.get('/ledger', async (c) => {
    const { newest, skip } = c.req.query()
    return c.json(await readTimeline(workspace, newest, parseWholeNumber(skip)))
  })
  app.get('/ledger/paths', async (c) => c.json({ paths: await knownPaths(workspace) }))
  app.get('/blame', async (c) => {
    const path = c.req.query('path')
    if (path === undefined || path === '') throw new BadRequest('`path` is missing.')
    return c.json(await readBlame(workspace, path, parseWholeNumber(c.req.query('from'))))
  })
  app.get('/stats', async (c) => {
    const days = parseWholeNumber(c.req.query('days'))
    return c.json(await workspace.ledger.stats(days > 0 ? { days } : {}))
  })
  return app
}

/**
 * Reads one page of records, newest first. It costs as much as the records up to its end, however many are older.
 * @param newest the first id on the first page: records after it are not counted
 * @param skip the number of records on earlier pages, from that one
 */
async function readTimeline({ ledger }: Workspace, newest: string | undefined, skip: number): Promise<WireTimeline> {
  const page: WireRecord[] = []
  let first = newest
  let isCounted = newest === undefined
  let at = 0
  for await (const record of ledger.records({ order: 'newest' })) {
    if (page.length === RECORDS_PER_PAGE) return { records: page, next: { skip: at, ...defined({ newest: first }) } }
    if (first === undefined && typeof record.id === 'string') {
      first = record.id
      at = 0
    }
    isCounted ||= record.id === newest
    if (!isCounted || at++ < skip) continue
    const { about, ...entry } = toHistoryEntry(record)
    page.push({ ...entry, about: about.slice(0, PATHS_PER_RECORD), more: Math.max(0, about.length - PATHS_PER_RECORD) })
  }
  return { records: page }
}

/** The committed paths that still exist: blame has no lines for a deleted file. */
async function knownPaths({ ledger, root }: Workspace): Promise<string[]> {
  const paths = new Set<string>()
  for await (const record of ledger.records()) {
    const { what } = toHistoryEntry(record)
    if (what === 'commit' || what === 'undo' || what === 'landed')
      for (const path of pathsOf(record)) if (paths.size < PATHS_PER_LIST) paths.add(path)
  }
  return [...paths].filter((path) => existsSync(join(root, path))).sort()
}

async function readBlame(workspace: Workspace, asked: string, from: number): Promise<WireBlame> {
  const { path, content } = readBlamed(workspace.root, asked)
  const credits = await workspace.ledger.blame(path)
  const text = new TextDecoder().decode(content).split('\n')
  const tokens = highlightLines(await loadHighlighter(), path, content)
  const lines = credits.slice(from, from + LINES_PER_PAGE).map((credit) => ({
    line: credit.line,
    s: pieces(text[credit.line - 1] ?? '', tokens?.[credit.line - 1], []),
    ...creditOf(credit),
  }))
  return { path, total: credits.length, from, lines }
}

function creditOf(line: BlameLine) {
  const { intentId, sessionId, approvedBy, mutationClass, unanchored } = line
  return {
    who: authorOf(line),
    ...defined({ intentId, sessionId, approvedBy, measured: mutationClass }),
    ...(unanchored && { unanchored }),
  }
}
