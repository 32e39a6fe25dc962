import { join } from 'node:path'
import { z } from 'zod'
import type { Change, Review } from '../../index.js'
import { oneLine } from '../../surface/index.js'
import { toRecord } from './tool.js'

/** How many staged files are shown as diffs, and how many characters together. */
const DIFFS_PER_REQUEST = 50
const DIFF_CHARACTERS = 1 << 20

const permissionParams = z.looseObject({
  toolCall: z.looseObject({ content: z.array(z.unknown()).nullish().catch(undefined) }),
})

/**
 * Rewrites a request for permission for the person: adds the staged changes to the content that the agent shows. An
 * approval lets the agent continue, and is not a verdict.
 */
export async function addStagedChanges(params: unknown, root: string, review: Review): Promise<unknown> {
  const { toolCall, ...rest } = permissionParams.parse(params)
  const { changes } = await review.changes()
  const { summary, diffs } = await renderChanges(changes, review, async (change) => textsOf(change, root, review))
  const content = [...(toolCall.content ?? []), textContent(summary), ...diffs]
  return { ...rest, toolCall: { ...toolCall, content } }
}

const subjectParams = z.looseObject({
  description: z.string().nullish().catch(undefined),
  subject: z
    .looseObject({
      type: z.literal('tool_call'),
      toolCall: z.looseObject({ content: z.array(z.unknown()).nullish().catch(undefined) }),
    })
    .nullish()
    .catch(undefined),
})

/**
 * As {@link addStagedChanges}, for version 2: a request has a subject. If it is a tool call, its content gets the staged changes;
 * else their summary follows the description.
 */
export async function addStagedChangesToSubject(params: unknown, root: string, review: Review): Promise<unknown> {
  const { description, subject } = subjectParams.parse(params)
  const { changes } = await review.changes()
  const { summary, diffs } = await renderChanges(changes, review, async (change) =>
    subject ? patchOf(change, root) : undefined,
  )
  if (!subject) return { ...toRecord(params), description: description ? `${description}\n\n${summary}` : summary }
  const content = [...(subject.toolCall.content ?? []), textContent(summary), ...diffs]
  return { ...toRecord(params), subject: { ...subject, toolCall: { ...subject.toolCall, content } } }
}

/** A change as content of a tool call, and its number of characters; undefined if it cannot be shown as a diff. */
type Render = (change: Change) => Promise<{ readonly diff: object; readonly size: number } | undefined>

async function renderChanges(changes: readonly Change[], review: Review, render: Render) {
  const diffs: object[] = []
  const listed: string[] = []
  let remaining = DIFF_CHARACTERS
  for (const change of changes) {
    const rendered = diffs.length < DIFFS_PER_REQUEST && remaining > 0 ? await render(change) : undefined
    if (rendered === undefined || rendered.size > remaining) listed.push(`- ${change.kind} ${nameOf(change)}`)
    else diffs.push(rendered.diff)
    remaining -= rendered?.size ?? 0
  }
  return { summary: summarize(changes, listed, review.sessionId), diffs }
}

function summarize(changes: readonly Change[], listed: readonly string[], session: string): string {
  const id = oneLine(session)
  if (changes.length === 0)
    return `escrow: Nothing is staged yet. Changes that you allow here are staged in session '${id}'.`
  const count = changes.length === 1 ? '1 change is' : `${changes.length} changes are`
  const summary = `escrow: ${count} staged in session '${id}', and nothing of it is on the disk. What you allow here is staged, too: 'escrow review ${id}' decides.`
  const left = listed.slice(0, NAMES_PER_REQUEST)
  const more = listed.length > NAMES_PER_REQUEST ? [`- and ${listed.length - NAMES_PER_REQUEST} more`] : []
  return listed.length === 0 ? summary : [summary, 'Not shown as a diff here:', ...left, ...more].join('\n')
}

const NAMES_PER_REQUEST = 200

function nameOf({ from, path }: Change): string {
  return oneLine(from === undefined ? path : `${from} to ${path}`)
}

/** Both texts of a change. Undefined for one that two texts cannot show. */
async function textsOf({ kind, path, flags }: Change, root: string, review: Review): ReturnType<Render> {
  if ((kind !== 'create' && kind !== 'modify') || flags.includes('binary') || flags.includes('symlink'))
    return undefined
  const [before, after] = [await review.content(path, 'before'), await review.content(path, 'after')]
  if (after === undefined) return undefined
  const oldText = before === undefined ? null : textOf(before)
  const newText = textOf(after)
  if (oldText === undefined || newText === undefined) return undefined
  const diff = { type: 'diff', path: join(root, path), oldText, newText }
  return { diff, size: (oldText?.length ?? 0) + newText.length }
}

/** A change of a file's lines as a patch of git. Undefined for any other, and for a name that git would quote. */
function patchOf({ kind, path, flags, hunks, mode }: Change, root: string): Awaited<ReturnType<Render>> {
  const operation = kind === 'create' ? 'add' : kind
  if ((operation !== 'add' && operation !== 'modify') || hunks.length === 0 || flags.includes('symlink'))
    return undefined
  if (oneLine(path) !== path || /["\\]/.test(path)) return undefined
  const names = operation === 'add' ? ['/dev/null', `b/${path}`] : [`a/${path}`, `b/${path}`]
  const header = [
    `diff --git a/${path} b/${path}`,
    ...(operation === 'add' ? [`new file mode 100${(mode?.after ?? 0o644).toString(8)}`] : []),
    `--- ${names[0]}`,
    `+++ ${names[1]}`,
  ]
  const text = `${header.join('\n')}\n${hunks.map((hunk) => hunk.text).join('')}`
  const changes = [{ operation, path: join(root, path) }]
  return { diff: { type: 'diff', changes, patch: { format: 'git_patch', text } }, size: text.length }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function textContent(text: string) {
  return { type: 'content', content: { type: 'text', text } }
}
