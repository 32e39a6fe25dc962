import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, sha256hex } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { isSessionId } from '../core/ids.js'
import { type Layout, ORCHESTRATION, SharedFile } from '../core/layout.js'
import { isOwned } from '../os/owner.js'
import { readSmall } from '../os/read.js'
import { inDirectory, listShared, readShared } from '../os/shared-files.js'
import { stateDir } from '../os/state-dir.js'
import { layoutAt, prepareState } from '../os/workspace-state.js'
import { createDurable, ensurePrivateDir, removeTree, renameSync, syncDir } from '../os/write.js'
import { assertOutsideSession } from './admit-reviewer.js'
import { physicalRoot } from './workspace-root.js'

/**
 * Earlier versions kept sessions, plans and locks in the repository, where a clone can bring its own. Such files
 * have no authority. If this machine's anchor proves that it committed in this directory, a person may migrate the
 * staged work of those sessions: as proposals, without a verdict. Everything else is only listed.
 */
export interface OldState {
  /** Names under `.orchestration` that an earlier version used. */
  readonly names: readonly string[]
  /** Sessions with staged work. */
  readonly sessions: readonly string[]
  /** The ledger has a record that this machine has anchored. */
  readonly isOurs: boolean
}

const OLD_NAMES = ['sessions', 'commits', 'ledger.d', 'locks']

/** Finds the state of an earlier version in the repository; undefined if there is none. */
export function findOldState(root: string): OldState | undefined {
  const layout = layoutAt(physicalRoot(root))
  const names = OLD_NAMES.filter((name) => exists(layout, name))
  if (names.length === 0) return undefined
  return {
    names: names.map((name) => `${ORCHESTRATION}/${name}`),
    sessions: sessionsIn(layout),
    isOurs: isOurs(layout),
  }
}

/**
 * Copies the staged work of the old sessions to the state directory. Verdicts are not copied: reviewers decide again. The old
 * files stay.
 * @returns the migrated sessions.
 * @throws EscrowError `access_denied` in an agent's session, and where nothing proves that this machine wrote the files;
 * `session_busy` while a process of the earlier version holds one of the sessions.
 */
export function migrateOldState(root: string): string[] {
  assertOutsideSession()
  const layout = layoutAt(physicalRoot(root))
  if (!isOurs(layout))
    throw new EscrowError('access_denied', 'Nothing on this machine proves that it wrote these files.', {
      hint: 'They may have come with the repository. Remove them, or review that work with the version that wrote it.',
    })
  prepareState(layout)
  writeFloor(layout)
  return sessionsIn(layout).filter((id) => migrateSession(layout, id))
}

function exists({ dir }: Layout, name: string): boolean {
  return lstatSync(join(dir, name), { throwIfNoEntry: false }) !== undefined
}

function oldFile({ root }: Layout, name: string): SharedFile {
  return new SharedFile(root, `${ORCHESTRATION}/${name}`)
}

/** A link or a file in the place of the directory contains none. */
function sessionsIn(layout: Layout): string[] {
  return namesIn(oldFile(layout, 'sessions')).filter(
    (id) => isSessionId(id) && namesIn(oldFile(layout, `sessions/${id}`)).includes('stage.log'),
  )
}

function namesIn(directory: SharedFile): string[] {
  try {
    return listShared(directory).sort()
  } catch (error) {
    if (error instanceof EscrowError) return []
    throw error
  }
}

/** Earlier versions kept one file of anchors for each root. */
function isOurs(layout: Layout): boolean {
  const file = join(stateDir(), 'anchors', `${sha256hex(layout.root).slice(0, 32)}.jsonl`)
  let ledger: Buffer
  let anchors: string
  try {
    anchors = readSmall(file, MAX_ANCHOR_BYTES)
    ledger = readShared(layout.ledgerFile)
  } catch (error) {
    if (error instanceof EscrowError || codeOf(error) !== undefined) return false
    throw error
  }
  return anchors.split('\n').some((line) => matchesAnchor(ledger, line))
}

const MAX_ANCHOR_BYTES = 1024 * 1024

function matchesAnchor(ledger: Buffer, line: string): boolean {
  try {
    const { start, size, hash } = JSON.parse(line)
    return Number.isSafeInteger(start) && sha256hex(ledger.subarray(start, size - 1)) === hash
  } catch {
    return false
  }
}

/** Commit numbers continue after the highest old one: the stages refer to them. */
function writeFloor(layout: Layout): void {
  const numbers = namesIn(oldFile(layout, 'commits')).map((name) =>
    Number(/^(\d{1,15})(\.done)?$/.exec(name)?.[1] ?? 0),
  )
  const floor = Math.max(0, ...numbers)
  ensurePrivateDir(layout.commits)
  try {
    createDurable(join(layout.commits, 'floor'), String(floor))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  syncDir(layout.commits)
}

const SESSION_FILES = /^(stage\.log|pack(\.\d+)?|meta\.json)$/
const SESSION_DIRECTORIES = ['edits', 'quarantine']

/** Copies a session completely, then renames the copy into place. An existing session of that id is kept. */
function migrateSession(layout: Layout, id: string): boolean {
  const { dir } = layout.session(id)
  if (lstatSync(dir, { throwIfNoEntry: false }) !== undefined) return false
  const old = `sessions/${id}`
  if (isOwned(`${oldFile(layout, `${old}/owner`)}`))
    throw new EscrowError('session_busy', `Session ${id} is held by a process of an earlier version.`, {
      hint: "Stop that process, then run 'escrow migrate' again.",
    })
  const fresh = join(layout.state, `migrating-${id}`)
  removeTree(fresh)
  ensurePrivateDir(fresh)
  for (const name of namesIn(oldFile(layout, old)).filter((each) => SESSION_FILES.test(each)))
    createDurable(join(fresh, name), readShared(oldFile(layout, `${old}/${name}`)))
  for (const tree of SESSION_DIRECTORIES) copyTree(layout, `${old}/${tree}`, join(fresh, tree))
  ensurePrivateDir(layout.sessions)
  renameSync(fresh, dir)
  syncDir(layout.sessions)
  return true
}

/** Copies plain files and directories only. */
function copyTree(layout: Layout, from: string, to: string): void {
  for (const name of namesIn(oldFile(layout, from))) {
    const path = `${from}/${name}`
    ensurePrivateDir(to)
    if (isDirectory(layout, path)) copyTree(layout, path, join(to, name))
    else createDurable(join(to, name), readShared(oldFile(layout, path)))
  }
}

function isDirectory({ root }: Layout, name: string): boolean {
  try {
    return inDirectory(root, `${ORCHESTRATION}/${name}`, () => true)
  } catch (error) {
    if (error instanceof EscrowError) return false
    throw error
  }
}
