import { codeOf, digest, lexical, type RelPath } from '../../overlay/index.js'
import type { CommitEntry } from '../commit/index.js'
import { apiErrorOf, EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { type Layout, SharedFile } from '../core/layout.js'
import { extendShared, readShared } from '../host/shared-files.js'
import { type PolicyState, undoDenial } from '../policy/index.js'
import type { LedgerOutbox, StageStore } from '../stage/index.js'
import { lessonsIn, lessonText, saysTheSame } from '../trace/index.js'

/** Where agents look for what was learned: the first that is there, else the first. */
const FILES = ['CLAUDE.md', 'AGENTS.md']
const MAX_BYTES = 16 * 1024
/** The kind of the notes that say which bytes at a file's end are lessons. No agent can write one. */
const NOTE = 'lesson'

export interface LessonDeps {
  readonly layout: Layout
  readonly store: StageStore
  readonly journal: LedgerOutbox
  readonly policyFile: () => PolicyState
  readonly intent: string | undefined
}

/**
 * Appends a lesson to the shared file: to the stage, for a person to approve, or straight to the disk where
 * `approval.lessons` is `auto`. One that the file has already is not written again; the ledger says so.
 * @throws EscrowError `nothing_selected` (an empty one), `limit_exceeded`, `policy_invalid`, `protected_path`.
 */
export async function recordLesson(deps: LessonDeps, text: string, context?: string): Promise<void> {
  const { layout, store, journal, intent } = deps
  if (text.trim() === '') throw new EscrowError('nothing_selected', 'A lesson without a word teaches nothing.')
  const size = Buffer.byteLength(text) + Buffer.byteLength(context ?? '')
  if (size > MAX_BYTES) throw new EscrowError('limit_exceeded', `A lesson has at most ${MAX_BYTES} bytes, not ${size}.`)
  const policy = deps.policyFile()
  const path = fileOf(deps, policy)
  const denial = undoDenial(path, policy)
  if (denial) throw apiErrorOf(denial)
  const isDirect = policy.ok && policy.rules.settings.appendsLessons
  const old = isDirect ? onDisk(layout, path).toString() : readStaged(store, path)
  const isKnown = lessonsIn(old).some((lesson) => saysTheSame(lesson.text, text))
  if (!isKnown) {
    const about = { ...defined({ context, intent }) }
    const block = gapAfter(old) + lessonText({ at: new Date().toISOString(), text, ...about })
    if (isDirect) appendOnDisk(layout, path, block)
    else stage(store, path, block)
  }
  const data = { duplicate: isKnown, direct: isDirect, ...defined({ context }) }
  await journal.append('lesson', intent, { path, words: text, data })
}

/** True for an entry that adds nothing to a file but lessons that were recorded: it needs no intent's scope. */
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

/** The lessons noted for a file, as bytes, the oldest first. */
function blocksOf(store: StageStore, path: string): string[] {
  return [...store.queued(NOTE)].flatMap((note) => {
    if (typeof note !== 'object' || note === null || !('block' in note) || !('path' in note)) return []
    const isIts = note.path === path && typeof note.block === 'string' && note.block !== ''
    return isIts ? [latin1(String(note.block))] : []
  })
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function fileOf({ store }: LessonDeps, policy: PolicyState): RelPath {
  const given = policy.ok ? policy.rules.settings.lessonsFile : undefined
  const [first = ''] = FILES
  const name = given ?? FILES.find((file) => store.overlay.typeOf(file as RelPath) === 'file') ?? first
  return (lexical(name) ?? name) as RelPath
}

function readStaged({ overlay }: StageStore, path: RelPath): string {
  const type = overlay.typeOf(path)
  if (type === undefined) return ''
  if (type !== 'file') throw notAFile(path)
  return Buffer.from(overlay.read(path)).toString()
}

function stage(store: StageStore, path: RelPath, block: string): void {
  store.enqueue(NOTE, { path, block })
  const before = store.overlay.typeOf(path) === 'file' ? store.overlay.read(path) : new Uint8Array()
  store.overlay.put(path, Buffer.concat([before, Buffer.from(block)]), {})
  store.sync()
}

/** Only a plain file of the workspace is read and appended to: a link could lead anywhere. */
function onDisk({ root }: Layout, path: string): Buffer {
  try {
    return readShared(new SharedFile(root, path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    throw error instanceof EscrowError ? notAFile(path) : error
  }
}

function appendOnDisk(layout: Layout, path: string, text: string): void {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { length } = onDisk(layout, path)
    if (extendShared(new SharedFile(layout.root, path), Buffer.from(text), length)) return
  }
  throw new EscrowError('stale_file', `${path} is being changed by another program; the lesson was not written.`)
}

const MOST_TRIES = 10

function notAFile(path: string): EscrowError {
  return new EscrowError('protected_path', `${path} is no plain file of the workspace, so no lesson goes there.`, {
    hint: 'Name another lessons_file in policy.yaml.',
  })
}

function gapAfter(text: string): string {
  if (text === '' || text.endsWith('\n\n')) return ''
  return text.endsWith('\n') ? '\n' : '\n\n'
}
