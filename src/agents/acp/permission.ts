import { join } from 'node:path'
import { z } from 'zod'
import type { Change, Review } from '../../index.js'
import { oneLine } from '../../surface/index.js'

/** Staged files whose diff is shown, and characters of all of them. */
const FILES = 50
const CHARACTERS = 1 << 20

const asked = z.looseObject({
  toolCall: z.looseObject({ content: z.array(z.unknown()).nullish().catch(undefined) }),
})

/**
 * A request for permission, as the person is to see it: with what is staged behind what the agent says of it. What is allowed
 * there lets the agent go on, and is no verdict.
 */
export async function withStaged(params: unknown, root: string, review: Review): Promise<unknown> {
  const { toolCall, ...rest } = asked.parse(params)
  const { changes } = await review.changes()
  const content = [...(toolCall.content ?? []), ...(await displayOf(changes, root, review))]
  return { ...rest, toolCall: { ...toolCall, content } }
}

async function displayOf(changes: readonly Change[], root: string, review: Review): Promise<unknown[]> {
  const diffs: unknown[] = []
  const named: string[] = []
  let room = CHARACTERS
  for (const change of changes) {
    const diff = diffs.length < FILES && room > 0 ? await diffOf(change, root, review) : undefined
    const size = diff === undefined ? 0 : (diff.oldText?.length ?? 0) + diff.newText.length
    if (diff === undefined || size > room) named.push(`- ${change.kind} ${nameOf(change)}`)
    else diffs.push(diff)
    room -= size
  }
  return [text(wordsOn(changes, named, review.sessionId)), ...diffs]
}

function wordsOn(changes: readonly Change[], named: readonly string[], session: string): string {
  const id = oneLine(session)
  if (changes.length === 0)
    return `escrow: Nothing is staged yet. Changes that you allow here are staged in session '${id}'.`
  const count = changes.length === 1 ? '1 change is' : `${changes.length} changes are`
  const words = `escrow: ${count} staged in session '${id}', and nothing of it is on the disk. What you allow here is staged, too: 'escrow review ${id}' decides.`
  const left = named.slice(0, NAMED)
  const more = named.length > NAMED ? [`- and ${named.length - NAMED} more`] : []
  return named.length === 0 ? words : [words, 'Not shown as a diff here:', ...left, ...more].join('\n')
}

const NAMED = 200

function nameOf({ from, path }: Change): string {
  return oneLine(from === undefined ? path : `${from} to ${path}`)
}

/** Undefined where it cannot be shown by two texts. */
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

function text(words: string) {
  return { type: 'content', content: { type: 'text', text: words } }
}
