import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { defined } from '../core/defined.js'
import type { Change, Reviewer, Selection, Verdict, Workspace } from '../index.js'
import { commitStream } from './commit-stream.js'
import { BadRequest, brief, Conflict } from './failure.js'
import { changeOf, type Rooms, type Seen } from './review-handle.js'
import type { WireDecided, WireSelection } from './wire.js'

/** `accept` is what a person alone may do, whatever policy says. */
export type Act = 'decide' | 'accept'

export interface Deciding {
  readonly workspace: Workspace
  readonly rooms: Rooms
  /** Throws where who asks may not do that. */
  readonly admit: (act: Act) => void
  readonly by: Reviewer | undefined
}

const PATH = z.string().min(1).max(4096)
const ONE = z.strictObject({ path: PATH, mark: z.string() })
const SELECTION = z.strictObject({
  changes: z.array(ONE).min(1).max(100_000).optional(),
  hunks: z.strictObject({ path: PATH, ids: z.array(z.string()).min(1).max(100_000) }).optional(),
  all: z.string().optional(),
})
const WORDS = z.string().trim().min(1, 'Give a reason that the agent can act on.').max(10_000)
const VERDICT = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.enum(['approved', 'withdrawn']), selection: SELECTION }),
  z.strictObject({ verdict: z.literal('rejected'), selection: SELECTION, reason: WORDS }),
])
const EDIT = z.strictObject({ path: PATH, mark: z.string(), text: z.string() })
const SPLIT = z.strictObject({ path: PATH, hunk: z.string() })
const DISCARD = z.strictObject({ selection: SELECTION })
const COMMIT = z.strictObject({ merge: z.boolean().optional(), strict: z.boolean().optional() })
const ANSWER = z.strictObject({
  answer: z.enum(['allow', 'once', 'subtree', 'deny']),
  words: z.string().max(10_000).optional(),
  remember: z.boolean().optional(),
})
const TRUST = z.strictObject({ digest: z.string().min(1).max(200) })
const UNDO = z.strictObject({ commit: z.string().min(1).max(200) })

/** What a person decides: each route names what it was shown, and nothing is recorded on what has moved since. */
export function decideRoutes({ workspace, rooms, admit, by }: Deciding): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    if (c.req.header('content-type')?.split(';')[0]?.trim() !== 'application/json')
      throw new BadRequest('The request must be JSON.')
    admit('decide')
    return next()
  })
  app.post('/sessions/:id/verdicts', async (c) => {
    const body = VERDICT.parse(await jsonOf(c))
    let shown: Seen | undefined
    const decided = await rooms.of(c.req.param('id')).decide(async (review, seen) => {
      shown = seen
      const selection = selectionOf(body.selection, seen)
      if (body.verdict === 'rejected') return review.reject(selection ?? selectAll(seen), body.reason, by)
      if (body.verdict === 'approved') return review.approve(selection, by)
      return review.withdraw(selection ?? selectAll(seen), by)
    })
    const left = decided.left?.map(brief) ?? []
    const undo = shown === undefined ? [] : undoOf(shown, decided)
    return c.json({ paths: decided.paths, hunks: decided.hunks?.length ?? 0, left, undo } satisfies WireDecided)
  })
  app.post('/sessions/:id/edit', async (c) => {
    const { path, mark, text } = EDIT.parse(await jsonOf(c))
    await rooms.of(c.req.param('id')).decide(async (review, seen) => {
      await review.edit(changeOf(seen, path, mark).path, text, by)
    })
    return c.json({})
  })
  app.post('/sessions/:id/split', async (c) => {
    const { path, hunk } = SPLIT.parse(await jsonOf(c))
    const pieces = await rooms.of(c.req.param('id')).decide(async (review, seen) => {
      const [id = ''] = hunksOf(seen, path, [hunk])
      return review.split(id, by)
    })
    return c.json({ pieces: pieces.length })
  })
  app.post('/sessions/:id/discard', async (c) => {
    const { selection } = DISCARD.parse(await jsonOf(c))
    await rooms.of(c.req.param('id')).decide(async (review, seen) => {
      await review.discard(selectionOf(selection, seen) ?? selectAll(seen))
    })
    return c.json({})
  })
  app.post('/sessions/:id/questions/:question', async (c) => {
    const { answer, words, remember } = ANSWER.parse(await jsonOf(c))
    const given = { ...(words && { words }), ...defined({ remember }), ...(by && { by }) }
    const review = await rooms.of(c.req.param('id')).review()
    await review.answer(c.req.param('question'), { answer, ...given })
    return c.json({})
  })
  app.post('/sessions/:id/commit', async (c) => {
    const { merge, strict } = COMMIT.parse(await jsonOf(c))
    const options = { ...defined({ merge, strict }) }
    return commitStream(c, rooms.of(c.req.param('id')), options)
  })
  app.post('/trust', async (c) => {
    const { digest } = TRUST.parse(await jsonOf(c))
    admit('accept')
    await workspace.accept(digest, by)
    return c.json({})
  })
  app.post('/undo', async (c) => {
    const { commit } = UNDO.parse(await jsonOf(c))
    return c.json({ session: (await workspace.undo(commit)).sessionId })
  })
  return app
}

async function jsonOf(c: Context): Promise<unknown> {
  const text = await c.req.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequest('The request is not valid JSON.')
  }
}

type Picked = z.infer<typeof SELECTION>

/** @returns undefined: all of what was shown. */
function selectionOf({ changes, hunks, all }: Picked, seen: Seen): Selection | undefined {
  if (all !== undefined) {
    if (all !== seen.set.digest) throw new Conflict('The change set')
    if (changes !== undefined || hunks !== undefined)
      throw new BadRequest('`all` cannot be combined with `changes` or `hunks`.')
    return undefined
  }
  const paths = changes?.map(({ path, mark }) => changeOf(seen, path, mark).path) ?? []
  const ids = hunks === undefined ? [] : hunksOf(seen, hunks.path, hunks.ids)
  if (paths.length + ids.length === 0) throw new BadRequest('Select changes or hunks.')
  return { paths, hunks: ids }
}

/** A hunk's id is of its old and new lines: while the file has it, it is what was shown. */
function hunksOf({ set }: Seen, path: string, ids: readonly string[]): string[] {
  const known = new Set(set.changes.filter((change: Change) => change.path === path).flatMap(idsOf))
  if (!ids.every((id) => known.has(id))) throw new Conflict(`A hunk of ${path}`)
  return [...ids]
}

function idsOf({ hunks }: Change): string[] {
  return hunks.map(({ id }) => id)
}

/** What had no verdict yet: whole changes, and of changes that were decided in part the rest. */
function undoOf({ set, marks }: Seen, { paths, hunks = [] }: Pick<Verdict, 'paths' | 'hunks'>): WireSelection[] {
  const [named, given] = [new Set(paths), new Set(hunks)]
  const whole: { path: string; mark: string }[] = []
  const parts: WireSelection[] = []
  for (const change of set.changes.filter(({ path }) => named.has(path))) {
    const { path } = change
    if (change.state !== 'pending') continue
    const chosen = change.hunks.filter(({ id }) => given.has(id))
    const open = (chosen.length > 0 ? chosen : change.hunks)
      .filter(({ state }) => state === 'pending')
      .map(({ id }) => id)
    if (open.length === change.hunks.length) whole.push({ path, mark: marks.get(change) ?? '' })
    else if (open.length > 0) parts.push({ hunks: { path, ids: open } })
  }
  return whole.length > 0 ? [{ changes: whole }, ...parts] : parts
}

function selectAll({ set }: Seen): Selection {
  return set.changes.map(({ path }) => path)
}
