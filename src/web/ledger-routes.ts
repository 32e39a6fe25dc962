import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import { defined } from '../core/defined.js'
import type { BlameLine, Workspace } from '../index.js'
import { authorOf, loadHighlighter, pathsOf, readBlamed, toHistoryEntry } from '../surface/index.js'
import { BadRequest } from './failure.js'
import { coloursOf, pieces } from './lines.js'
import { wholeNumber } from './read-routes.js'
import type { WireBlame, WireRecord, WireTimeline } from './wire.js'

/** Records, and lines of blame, of one answer. */
const RECORDS = 200
const LINES = 1_000
/** Paths of a record, and of the whole ledger, that are named. */
const ABOUT = 20
const PATHS = 5_000

/** The ledger for the page: its records, who wrote each line of a file, and the sums. */
export function ledgerRoutes(workspace: Workspace): Hono {
  const app = new Hono()
  app.get('/ledger', async (c) => c.json(await timelineOf(workspace, wholeNumber(c.req.query('before')))))
  app.get('/ledger/paths', async (c) => c.json({ paths: await knownPaths(workspace) }))
  app.get('/blame', async (c) => {
    const path = c.req.query('path')
    if (path === undefined || path === '') throw new BadRequest('`path` is missing.')
    return c.json(await blameOf(workspace, path, wholeNumber(c.req.query('from'))))
  })
  app.get('/stats', async (c) => {
    const days = wholeNumber(c.req.query('days'))
    return c.json(await workspace.ledger.stats(days > 0 ? { days } : {}))
  })
  return app
}

/** The newest records first, read in one pass that holds one page. Places count lines: numbers of merged branches can be equal. */
async function timelineOf({ ledger }: Workspace, before: number): Promise<WireTimeline> {
  const page: WireRecord[] = []
  let at = 0
  for await (const record of ledger.records()) {
    if (before > 0 && at >= before) break
    const { about, ...entry } = toHistoryEntry(record)
    page.push({ ...entry, about: about.slice(0, ABOUT), more: Math.max(0, about.length - ABOUT) })
    if (page.length > RECORDS) page.shift()
    at++
  }
  const first = at - page.length
  return { records: page.reverse(), ...(first > 0 && { before: first }) }
}

/** The committed paths that are still there: the lines of a deleted file have no author to show. */
async function knownPaths({ ledger, root }: Workspace): Promise<string[]> {
  const paths = new Set<string>()
  for await (const record of ledger.records()) {
    const { what } = toHistoryEntry(record)
    if (what === 'commit' || what === 'undo')
      for (const path of pathsOf(record)) if (paths.size < PATHS) paths.add(path)
  }
  return [...paths].filter((path) => existsSync(join(root, path))).sort()
}

async function blameOf(workspace: Workspace, asked: string, from: number): Promise<WireBlame> {
  const { path, content } = readBlamed(workspace.root, asked)
  const credits = await workspace.ledger.blame(path)
  const text = new TextDecoder().decode(content).split('\n')
  const tokens = coloursOf(await loadHighlighter(), path, content)
  const lines = credits.slice(from, from + LINES).map((credit) => ({
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
