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
import { refuseInside } from './admit-reviewer.js'
import { physicalRoot } from './workspace-root.js'

/**
 * Versions before 0.2 kept sessions, plans and locks in the repository, where a clone can bring its own. What is found there
 * is never obeyed. Where this machine's own anchor proves that it committed in this very directory, a person may take the
 * staged work of those sessions along: as proposals, without a verdict. Everything else is only named.
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

/** What an earlier version left in the repository; undefined where there is nothing. */
export function findOldState(root: string): OldState | undefined {
  const layout = layoutAt(physicalRoot(root))
  const names = OLD_NAMES.filter((name) => lookAt(layout, name))
  if (names.length === 0) return undefined
  return {
    names: names.map((name) => `${ORCHESTRATION}/${name}`),
    sessions: sessionsIn(layout),
    isOurs: isOurs(layout),
  }
}

/**
 * Takes the staged work of the old sessions into the state directory. Verdicts are left behind: they have to be given again.
 * The old files stay where they are.
 * @returns the sessions taken along.
 * @throws EscrowError `access_denied` in an agent's session, and where nothing proves that the files are this machine's;
 * `session_busy` while a process of the version before holds one of the sessions.
 */
export function migrateOldState(root: string): string[] {
  refuseInside()
  const layout = layoutAt(physicalRoot(root))
  if (!isOurs(layout))
    throw new EscrowError('access_denied', 'Nothing on this machine proves that it wrote these files.', {
      hint: 'They may have come with the repository. Remove them, or review that work with the version that wrote it.',
    })
  prepareState(layout)
  keepFloor(layout)
  return sessionsIn(layout).filter((id) => migrateSession(layout, id))
}

function lookAt({ dir }: Layout, name: string): boolean {
  return lstatSync(join(dir, name), { throwIfNoEntry: false }) !== undefined
}

function oldFile({ root }: Layout, name: string): SharedFile {
  return new SharedFile(root, `${ORCHESTRATION}/${name}`)
}

/** A link or a file in the place of the directory holds none. */
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

/** Versions before 0.2 kept one file of anchors for each root. */
function isOurs(layout: Layout): boolean {
  const file = join(stateDir(), 'anchors', `${sha256hex(layout.root).slice(0, 32)}.jsonl`)
  let ledger: Buffer
  let anchors: string
  try {
    anchors = readSmall(file, MAX_BYTES)
    ledger = readShared(layout.ledgerFile)
  } catch (error) {
    if (error instanceof EscrowError || codeOf(error) !== undefined) return false
    throw error
  }
  return anchors.split('\n').some((line) => isInUse(ledger, line))
}

const MAX_BYTES = 1024 * 1024

function isInUse(ledger: Buffer, line: string): boolean {
  try {
    const { start, size, hash } = JSON.parse(line)
    return Number.isSafeInteger(start) && sha256hex(ledger.subarray(start, size - 1)) === hash
  } catch {
    return false
  }
}

/** Numbers of commits go on where they ended: the stages know them. */
function keepFloor(layout: Layout): void {
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

const TAKEN = /^(stage\.log|pack(\.\d+)?|meta\.json)$/
const TREES = ['edits', 'quarantine']

/** Copies a session whole, then gives it its name: one that is there already stays as it is. */
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
  for (const name of namesIn(oldFile(layout, old)).filter((each) => TAKEN.test(each)))
    createDurable(join(fresh, name), readShared(oldFile(layout, `${old}/${name}`)))
  for (const tree of TREES) copyTree(layout, `${old}/${tree}`, join(fresh, tree))
  ensurePrivateDir(layout.sessions)
  renameSync(fresh, dir)
  syncDir(layout.sessions)
  return true
}

/** Plain files and directories; everything else is left behind. */
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
