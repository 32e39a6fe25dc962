import { join } from 'node:path'
import { z } from 'zod'
import type { Change, Review } from '../../index.js'
import { oneLine } from '../../surface/index.js'

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
  const content = [...(toolCall.content ?? []), ...(await renderChanges(changes, root, review))]
  return { ...rest, toolCall: { ...toolCall, content } }
}

async function renderChanges(changes: readonly Change[], root: string, review: Review): Promise<unknown[]> {
  const diffs: unknown[] = []
  const listed: string[] = []
  let remaining = DIFF_CHARACTERS
  for (const change of changes) {
    const diff = diffs.length < DIFFS_PER_REQUEST && remaining > 0 ? await diffOf(change, root, review) : undefined
    const size = diff === undefined ? 0 : (diff.oldText?.length ?? 0) + diff.newText.length
    if (diff === undefined || size > remaining) listed.push(`- ${change.kind} ${nameOf(change)}`)
    else diffs.push(diff)
    remaining -= size
  }
  return [textContent(summarize(changes, listed, review.sessionId)), ...diffs]
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

/** Undefined for a change that two texts cannot show. */
async function diffOf({ kind, path, flags }: Change, root: string, review: Review) {
  if ((kind !== 'create' && kind !== 'modify') || flags.includes('binary') || flags.includes('symlink'))
    return undefined
  const [before, after] = [await review.content(path, 'before'), await review.content(path, 'after')]
  if (after === undefined) return undefined
  const oldText = before === undefined ? null : textOf(before)
  const newText = textOf(after)
  if (oldText === undefined || newText === undefined) return undefined
  return { type: 'diff' as const, path: join(root, path), oldText, newText }
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
