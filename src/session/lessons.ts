import { codeOf, digest, lexical, type RelPath } from '../../overlay/index.js'
import type { CommitEntry } from '../commit/index.js'
import { apiErrorOf, EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { type Layout, SharedFile } from '../core/layout.js'
import { extendShared, readShared } from '../os/shared-files.js'
import { type PolicyState, undoDenial } from '../policy/index.js'
import type { LedgerOutbox, StageStore } from '../stage/index.js'
import { formatLesson, isSameLesson, lessonsIn } from '../trace/index.js'

/** Files that agents read at the start of a session. Lessons go into the first that exists; if none does, the first is created. */
const LESSON_FILES = ['CLAUDE.md', 'AGENTS.md']
const MAX_BYTES = 16 * 1024
/** Kind of the notes that hold the text of recorded lessons. Agents cannot write notes. */
const NOTE = 'lesson'

/** A lesson of an agent. */
interface Lesson {
  readonly text: string
  /** Where it was learned. */
  readonly context?: string | undefined
  readonly intent: string | undefined
}

/**
 * Appends a lesson to the shared file: to the stage, for a person to approve, or straight to the disk if
 * `approval.lessons` is `auto`. A lesson that the file already has is not appended again; the ledger records a
 * duplicate.
 * @throws EscrowError `nothing_selected` (an empty text), `limit_exceeded`, `policy_invalid`, `protected_path`
 */
export async function recordLesson(
  layout: Layout,
  policy: PolicyState,
  store: StageStore,
  outbox: LedgerOutbox,
  { text, context, intent }: Lesson,
): Promise<void> {
  if (text.trim() === '') throw new EscrowError('nothing_selected', 'The lesson is empty. Give a text.')
  const size = Buffer.byteLength(text) + Buffer.byteLength(context ?? '')
  if (size > MAX_BYTES) throw new EscrowError('limit_exceeded', `A lesson has at most ${MAX_BYTES} bytes, not ${size}.`)
  const path = lessonsFileOf(store, policy)
  const denial = undoDenial(path, policy)
  if (denial) throw apiErrorOf(denial)
  const isDirect = policy.ok && policy.rules.settings.autoLessons
  const old = isDirect ? readOnDisk(layout, path).toString() : readStaged(store, path)
  const isKnown = lessonsIn(old).some((lesson) => isSameLesson(lesson.text, text))
  if (!isKnown) {
    const about = { ...defined({ context, intent }) }
    const block = separatorAfter(old) + formatLesson({ at: new Date().toISOString(), text, ...about })
    if (isDirect) appendOnDisk(layout, path, block)
    else stageLesson(store, path, block)
  }
  const data = { duplicate: isKnown, direct: isDirect, ...defined({ context }) }
  await outbox.append('lesson', intent, { path, words: text, data })
}

/** Whether an entry of a commit only appends recorded lessons to a file. It needs no intent then. */
export function isLessonEntry(store: StageStore, { path, old, content }: CommitEntry): boolean {
  if (content === undefined || old?.type === 'dir' || old?.type === 'symlink') return false
  const blocks = blocksOf(store, path)
  if (blocks.length === 0) return false
  let rest = Buffer.from(content()).toString('latin1')
  for (const block of blocks.reverse()) {
    if (!rest.endsWith(block)) continue
    rest = rest.slice(0, -block.length)
    if (old === null ? rest === '' : digest(Buffer.from(rest, 'latin1')) === old.digest) return true
  }
  return false
}

/** The lessons recorded for a file, oldest first, in Latin-1: one character for each byte. */
function blocksOf(store: StageStore, path: string): string[] {
  return [...store.queued(NOTE)].flatMap((note) => {
    if (typeof note !== 'object' || note === null || !('block' in note) || !('path' in note)) return []
    const isSameFile = note.path === path && typeof note.block === 'string' && note.block !== ''
    return isSameFile ? [latin1(String(note.block))] : []
  })
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function lessonsFileOf(store: StageStore, policy: PolicyState): RelPath {
  const configured = policy.ok ? policy.rules.settings.lessonsFile : undefined
  const [first = ''] = LESSON_FILES
  const name = configured ?? LESSON_FILES.find((file) => store.overlay.typeOf(file as RelPath) === 'file') ?? first
  return (lexical(name) ?? name) as RelPath
}

function readStaged({ overlay }: StageStore, path: RelPath): string {
  const type = overlay.typeOf(path)
  if (type === undefined) return ''
  if (type !== 'file') throw notAFile(path)
  return Buffer.from(overlay.read(path)).toString()
}

function stageLesson(store: StageStore, path: RelPath, block: string): void {
  store.enqueue(NOTE, { path, block })
  const before = store.overlay.typeOf(path) === 'file' ? store.overlay.read(path) : new Uint8Array()
  store.overlay.put(path, Buffer.concat([before, Buffer.from(block)]), {})
  store.sync()
}

/** Only a plain file of the workspace is read and appended to: a link could point anywhere. */
function readOnDisk({ root }: Layout, path: string): Buffer {
  try {
    return readShared(new SharedFile(root, path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw error instanceof EscrowError ? notAFile(path) : error
  }
}

function appendOnDisk(layout: Layout, path: string, text: string): void {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { length } = readOnDisk(layout, path)
    if (extendShared(new SharedFile(layout.root, path), Buffer.from(text), length)) return
  }
  throw new EscrowError(
    'stale_file',
    `${path} is being changed by another program, so the lesson was not recorded. Try again.`,
  )
}

const MAX_TRIES = 10

function notAFile(path: string): EscrowError {
  return new EscrowError(
    'protected_path',
    `${path} is not a plain file of the workspace, so the lesson was not recorded.`,
    {
      hint: 'Set another lessons_file in policy.yaml.',
    },
  )
}

function separatorAfter(text: string): string {
  if (text === '' || text.endsWith('\n\n')) return ''
  return text.endsWith('\n') ? '\n' : '\n\n'
}
