import { Hono } from 'hono'
import { defined } from '../core/defined.js'
import type { Change, Question, SessionSummary, TrustChange, Workspace } from '../index.js'
import { describeReach, oneLine, readSessionWork } from '../surface/index.js'
import { toWireChanges } from './changes.js'
import { toWireChecklist, toWireChecks } from './checks.js'
import { BadRequest } from './failure.js'
import type { Files } from './files.js'
import { imageType, SVG } from './images.js'
import { changeOf, type ReviewHandles, stagedContent } from './review-handle.js'
import type { WireFound, WireQuestion, WireSession, WireState, WireTrust } from './wire.js'

export interface ReadContext {
  readonly workspace: Workspace
  readonly handles: ReviewHandles
  readonly files: Files
}

/** Routes that only read: sessions, their changes, single files, images. */
export function readRoutes({ workspace, handles, files }: ReadContext): Hono {
  const app = new Hono()
  app.get('/state', async (c) => c.json(await readState(workspace)))
  app.get('/sessions/:id/changes', async (c) => {
    const id = c.req.param('id')
    const order = c.req.query('by') === 'risk' ? 'risk' : 'step'
    const displayed = await handles.of(id).current({ risk: order === 'risk' })
    return c.json(toWireChanges(id, displayed, readSessionWork(workspace.root, id), order))
  })
  app.get('/sessions/:id/checks', async (c) => {
    const review = await handles.of(c.req.param('id')).review()
    return c.json(toWireChecks(await review.checks()))
  })
  app.get('/sessions/:id/checklist', async (c) => {
    const review = await handles.of(c.req.param('id')).review()
    return c.json(toWireChecklist(await review.checklist()))
  })
  app.get('/sessions/:id/search', async (c) => {
    const { set } = await handles.of(c.req.param('id')).displayed()
    return c.json({ paths: searchPaths(set.changes, c.req.query('text') ?? '') } satisfies WireFound)
  })
  app.get('/sessions/:id/file', async (c) => {
    const { path, mark } = requirePathAndMark(c.req.query())
    return c.json(await files.file(handles.of(c.req.param('id')), path, mark))
  })
  app.get('/sessions/:id/rows', async (c) => {
    const { path, mark } = requirePathAndMark(c.req.query())
    const layout = c.req.query('layout') === 'split' ? 'split' : 'unified'
    return c.json(
      await files.rows(handles.of(c.req.param('id')), path, mark, layout, parseWholeNumber(c.req.query('from'))),
    )
  })
  app.get('/sessions/:id/context', async (c) => {
    const { path, mark } = requirePathAndMark(c.req.query())
    const number = (name: string) => parseWholeNumber(c.req.query(name))
    const part = { gap: number('gap'), from: number('from'), count: number('count') }
    return c.json(await files.context(handles.of(c.req.param('id')), path, mark, part))
  })
  app.get('/sessions/:id/matches', async (c) => {
    const { path, mark } = requirePathAndMark(c.req.query())
    const layout = c.req.query('layout') === 'split' ? 'split' : 'unified'
    const wanted = { layout, text: c.req.query('text') ?? '' } as const
    return c.json(await files.matches(handles.of(c.req.param('id')), path, mark, wanted))
  })
  app.get('/sessions/:id/text', async (c) => {
    const { path, mark } = requirePathAndMark(c.req.query())
    return c.json(await files.text(handles.of(c.req.param('id')), path, mark))
  })
  app.get('/sessions/:id/image', async (c) => {
    const { path, mark } = requirePathAndMark(c.req.query())
    const handle = handles.of(c.req.param('id'))
    const change = changeOf(await handle.displayed(), path, mark)
    const review = await handle.review()
    const isBefore = c.req.query('side') === 'before'
    const content = isBefore ? await review.content(path, 'before') : await stagedContent(review, change)
    const type = content && imageType(content, path)
    if (content === undefined || type === undefined) throw new BadRequest('This is not an image.')
    // An SVG can run script as a document, but not as an image.
    if (type === SVG && c.req.header('sec-fetch-dest') !== 'image')
      throw new BadRequest('An SVG is served as an image only.')
    c.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    return c.body(new Uint8Array(content), 200, { 'content-type': type })
  })
  return app
}

/** Finds changes whose path or diff contains a text, ignoring case. */
function searchPaths(changes: readonly Change[], text: string): string[] {
  const wanted = text.toLowerCase()
  const has = ({ path, hunks }: Change) =>
    path.toLowerCase().includes(wanted) || hunks.some((hunk) => hunk.text.toLowerCase().includes(wanted))
  return changes.filter(has).map(({ path }) => path)
}

function requirePathAndMark({ path, mark }: Record<string, string>): { path: string; mark: string } {
  if (path === undefined || mark === undefined) throw new BadRequest('`path` or `mark` is missing.')
  return { path, mark }
}

/** Parses a number of a query; 0 if absent. */
export function parseWholeNumber(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d{1,9}$/.test(text)) throw new BadRequest('Give a whole number.')
  return Number(text)
}

async function readState(workspace: Workspace): Promise<WireState> {
  const [intents, sessions] = [await workspace.intents.list(), await workspace.sessions()]
  const problem = await workspace.policyProblem()
  const { waiting, digest, changes } = await workspace.trust()
  return {
    root: workspace.root,
    sessions: await Promise.all(sessions.map((session) => toWireSession(workspace, session))),
    intents: intents.map(({ id, name, status, ownedScope: scope, constraints, acceptanceCriteria: criteria }) => ({
      id,
      name,
      status,
      scope,
      constraints,
      criteria,
    })),
    ...defined({ problem }),
    ...(waiting && { trust: { digest, changes: changes.map(toWireTrustChange) } }),
  }
}

/** The texts come from files that anybody may have written. */
function toWireTrustChange({ file, effect, what }: TrustChange): WireTrust['changes'][number] {
  return { file: oneLine(file), effect, what: oneLine(what) }
}

async function toWireSession(
  workspace: Workspace,
  { id, live, changes, agent, damaged }: SessionSummary,
): Promise<WireSession> {
  const review = damaged === undefined ? await workspace.review(id) : undefined
  const { model, tool } = agent ?? {}
  return {
    id,
    live,
    changes,
    questions: (await review?.questions())?.map(toWireQuestion) ?? [],
    quarantined: (await review?.quarantined())?.length ?? 0,
    ...(agent && { agent: { ...defined({ model, tool }) } }),
    ...defined({ damaged }),
  }
}

function toWireQuestion(question: Question): WireQuestion {
  const { id, at, kind, intentId } = question
  const shared = { id, at, ...defined({ intentId }) }
  if (kind === 'scope') {
    const reach = question.reach && describeReach(question.reach)
    return { ...shared, kind, globs: question.globs, why: question.why, ...defined({ reach }) }
  }
  if (kind === 'access') return { ...shared, kind, path: question.path, rule: question.rule }
  const { command, cwd, rules, why } = question
  return { ...shared, kind, command, cwd, rules, why }
}
