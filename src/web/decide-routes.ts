import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { defined } from '../core/defined.js'
import type { Change, Reviewer, Selection, Verdict, Workspace } from '../index.js'
import { toWireChecks } from './checks.js'
import { commitStream } from './commit-stream.js'
import { BadRequest, Conflict, toWireLeft } from './failure.js'
import { changeOf, type Displayed, type ReviewHandles } from './review-handle.js'
import type { WireDecided, WireSelection } from './wire.js'

/** `accept` needs a person, whatever policy says. */
export type Action = 'decide' | 'accept'

export interface DecideContext {
  readonly workspace: Workspace
  readonly handles: ReviewHandles
  /** Throws if the caller may not do that. */
  readonly admit: (act: Action) => void
  readonly by: Reviewer | undefined
}

const PATH = z.string().min(1).max(4096)
const MARKED_PATH = z.strictObject({ path: PATH, mark: z.string() })
const SELECTION = z.strictObject({
  changes: z.array(MARKED_PATH).min(1).max(100_000).optional(),
  hunks: z.strictObject({ path: PATH, ids: z.array(z.string()).min(1).max(100_000) }).optional(),
  all: z.string().optional(),
})
const REASON = z.string().trim().min(1, 'Give a reason that the agent can act on.').max(10_000)
const VERDICT = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.enum(['approved', 'withdrawn']), selection: SELECTION }),
  z.strictObject({ verdict: z.literal('rejected'), selection: SELECTION, reason: REASON }),
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
const TICK = z.strictObject({
  intentId: z.string().max(1_000),
  criterion: z.string().max(300_000),
  ticked: z.boolean(),
})
const TRUST = z.strictObject({ digest: z.string().min(1).max(200) })
const UNDO = z.strictObject({ commit: z.string().min(1).max(200) })

/** Routes for a person's decisions. Each request names the version that was shown, and is refused if that has changed. */
export function decideRoutes({ workspace, handles, admit, by }: DecideContext): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    if (c.req.header('content-type')?.split(';')[0]?.trim() !== 'application/json')
      throw new BadRequest('The request must be JSON.')
    admit('decide')
    return next()
  })
  app.post('/sessions/:id/verdicts', async (c) => {
    const body = VERDICT.parse(await parseJson(c))
    let judged: Displayed | undefined
    const decided = await handles.of(c.req.param('id')).decide(async (review, displayed) => {
      judged = displayed
      const selection = selectionOf(body.selection, displayed)
      if (body.verdict === 'rejected') return review.reject(selection ?? selectAll(displayed), body.reason, by)
      if (body.verdict === 'approved') return review.approve(selection, by)
      return review.withdraw(selection ?? selectAll(displayed), by)
    })
    const left = decided.left?.map(toWireLeft) ?? []
    const undo = judged === undefined ? [] : undoSelections(judged, decided)
    return c.json({ paths: decided.paths, hunks: decided.hunks?.length ?? 0, left, undo } satisfies WireDecided)
  })
  app.post('/sessions/:id/edit', async (c) => {
    const { path, mark, text } = EDIT.parse(await parseJson(c))
    await handles.of(c.req.param('id')).decide(async (review, displayed) => {
      await review.edit(changeOf(displayed, path, mark).path, text, by)
    })
    return c.json({})
  })
  app.post('/sessions/:id/split', async (c) => {
    const { path, hunk } = SPLIT.parse(await parseJson(c))
    const pieces = await handles.of(c.req.param('id')).decide(async (review, displayed) => {
      const [id = ''] = knownHunks(displayed, path, [hunk])
      return review.split(id, by)
    })
    return c.json({ pieces: pieces.length })
  })
  app.post('/sessions/:id/discard', async (c) => {
    const { selection } = DISCARD.parse(await parseJson(c))
    await handles.of(c.req.param('id')).decide(async (review, displayed) => {
      await review.discard(selectionOf(selection, displayed) ?? selectAll(displayed))
    })
    return c.json({})
  })
  app.post('/sessions/:id/questions/:question', async (c) => {
    const { answer, words, remember } = ANSWER.parse(await parseJson(c))
    const fields = { ...(words && { words }), ...defined({ remember }), ...(by && { by }) }
    const review = await handles.of(c.req.param('id')).review()
    await review.answer(c.req.param('question'), { answer, ...fields })
    return c.json({})
  })
  app.post('/sessions/:id/tick', async (c) => {
    const { intentId, criterion, ticked } = TICK.parse(await parseJson(c))
    await handles.of(c.req.param('id')).decide((review) => review.tick(intentId, criterion, ticked, by))
    return c.json({})
  })
  // It decides nothing, so it does not wait for decisions, nor they for it.
  app.post('/sessions/:id/check', async (c) => {
    const review = await handles.of(c.req.param('id')).review()
    return c.json(toWireChecks(await review.check({ signal: c.req.raw.signal, ...(by && { by }) })))
  })
  app.post('/sessions/:id/commit', async (c) => {
    const { merge, strict } = COMMIT.parse(await parseJson(c))
    const options = { ...defined({ merge, strict }) }
    return commitStream(c, handles.of(c.req.param('id')), options)
  })
  app.post('/trust', async (c) => {
    const { digest } = TRUST.parse(await parseJson(c))
    admit('accept')
    await workspace.accept(digest, by)
    return c.json({})
  })
  app.post('/undo', async (c) => {
    const { commit } = UNDO.parse(await parseJson(c))
    return c.json({ session: (await workspace.undo(commit)).sessionId })
  })
  return app
}

async function parseJson(c: Context): Promise<unknown> {
  const text = await c.req.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequest('The request is not valid JSON.')
  }
}

type SelectionBody = z.infer<typeof SELECTION>

/** @returns undefined for everything that was shown. */
function selectionOf({ changes, hunks, all }: SelectionBody, displayed: Displayed): Selection | undefined {
  if (all !== undefined) {
    if (all !== displayed.set.digest) throw new Conflict('The change set')
    if (changes !== undefined || hunks !== undefined)
      throw new BadRequest('`all` cannot be combined with `changes` or `hunks`.')
    return undefined
  }
  const paths = changes?.map(({ path, mark }) => changeOf(displayed, path, mark).path) ?? []
  const ids = hunks === undefined ? [] : knownHunks(displayed, hunks.path, hunks.ids)
  if (paths.length + ids.length === 0) throw new BadRequest('Select changes or hunks.')
  return { paths, hunks: ids }
}

/** A hunk's id is derived from its old and new lines, so a hunk with that id is the one that was shown. */
function knownHunks({ set }: Displayed, path: string, ids: readonly string[]): string[] {
  const known = new Set(set.changes.filter((change: Change) => change.path === path).flatMap(idsOf))
  if (!ids.every((id) => known.has(id))) throw new Conflict(`A hunk of ${path}`)
  return [...ids]
}

function idsOf({ hunks }: Change): string[] {
  return hunks.map(({ id }) => id)
}

/** The selections that had no verdict yet: whole changes, and the rest of partly decided ones. */
function undoSelections(
  { set, marks }: Displayed,
  { paths, hunks = [] }: Pick<Verdict, 'paths' | 'hunks'>,
): WireSelection[] {
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

function selectAll({ set }: Displayed): Selection {
  return set.changes.map(({ path }) => path)
}
