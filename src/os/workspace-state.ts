import { lstatSync, readFileSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, isWithin, sha256hex } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { type Layout, layoutOf } from '../core/layout.js'
import { stateDir } from './state-dir.js'
import { OTHER_STATE_HOME } from './state-problem.js'
import { ensurePrivateDir, replaceDurable, setOwner } from './write.js'

/**
 * The state of a workspace on this machine: `<state>/workspaces/<id>`, readable only by its owner.
 *
 * The id comes from the identity of the root directory: its inode number and birth time. Both stay when the directory
 * is renamed, and differ in a copy or a clone. Nothing in the workspace names its state, so a file from git cannot claim
 * one.
 */

/** The workspace of a state directory, for people and for the check below. */
interface Card {
  readonly version: 1
  readonly root: string
  readonly device: string
}

/**
 * Returns the layout of a workspace.
 * @param root an absolute, physical path of a directory
 * @throws EscrowError `access_denied` if the state directory cannot be trusted: it is in the workspace, or another
 * user can write to it
 */
export function layoutAt(root: string): Layout {
  try {
    return layoutIn(root)
  } catch (error) {
    if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'ENOTDIR') throw error
    throw new EscrowError('access_denied', `The state directory ${stateDir()} cannot be used (${codeOf(error)}).`, {
      hint: OTHER_STATE_HOME,
      cause: error,
    })
  }
}

/**
 * Throws if the directory of a workspace is no longer at its path. The state belongs to that directory: no later process would find there
 * what is staged or decided, or finish a commit that a crash interrupts.
 * @throws EscrowError `ledger_unavailable`
 */
export function assertInPlace(layout: Layout): void {
  const { root } = layout
  const isThere = lstatSync(root, { throwIfNoEntry: false }) !== undefined
  if (isThere && layoutAt(root).state === layout.state) return
  const message = isThere
    ? `Another directory has taken the place of the workspace ${root}.`
    : `The workspace ${root} was removed or renamed.`
  throw new EscrowError('ledger_unavailable', message, {
    hint: 'Put the former directory back: what is staged and decided belongs to it. If it was renamed, work there.',
  })
}

function layoutIn(root: string): Layout {
  const base = join(stateDir(), 'workspaces')
  assertOutside(base, root)
  let { stats, state, card } = stateIn(base, root)
  if ((card?.root !== root || card.device !== String(stats.dev)) && isOverlay(root)) {
    copyUp(root)
    ;({ stats, state, card } = stateIn(base, root))
  }
  if (card === undefined || card.root === root || !isCopied(card, stats)) return layoutOf(root, state)
  const ownDir = join(base, sha256hex(`${idOf(root, stats)} ${root}`).slice(0, ID_DIGITS))
  assertPrivate(ownDir)
  return layoutOf(root, ownDir)
}

function stateIn(base: string, root: string) {
  const stats = statSync(root, { bigint: true })
  const state = join(base, idOf(root, stats))
  assertPrivate(state)
  return { stats, state, card: readCard(state) }
}

/** OVERLAYFS_SUPER_MAGIC of statfs(2): the file system of most containers. */
const OVERLAY = 0x794c_7630

function isOverlay(root: string): boolean {
  return process.platform === 'linux' && statfsSync(root).type === OVERLAY
}

/**
 * Copies a directory of an image up into the layer that the container writes to. Its first change does the same, and then it has another
 * birth time, so the workspace would lose its state. A chown without an owner and a group changes nothing else.
 */
function copyUp(root: string): void {
  try {
    setOwner(root, { uid: -1, gid: -1 })
  } catch (error) {
    // On a read-only file system nothing changes it.
    if (codeOf(error) !== 'EROFS' && codeOf(error) !== 'EPERM') throw error
  }
}

const ID_DIGITS = 32

interface Identity {
  readonly ino: bigint
  readonly dev: bigint
  readonly birthtimeNs: bigint
}

/**
 * Without birth times, a directory and a later one in its place look the same. There the path is part of the id, and a
 * renamed workspace starts without state.
 */
function idOf(root: string, { ino, dev, birthtimeNs }: Identity): string {
  // Device numbers can change at boot, so they count only without a birth time.
  const identity = birthtimeNs > 0n ? `${ino} ${birthtimeNs}` : `${ino} ${dev} ${root}`
  return sha256hex(identity).slice(0, ID_DIGITS)
}

/** Whether a file system is a copy: a snapshot has the same inode numbers and birth times, on another device. */
function isCopied({ root, device }: Card, { ino, dev, birthtimeNs }: Identity): boolean {
  const other = statSync(root, { bigint: true, throwIfNoEntry: false })
  return other?.ino === ino && other.birthtimeNs === birthtimeNs && other.dev !== dev && device === String(other.dev)
}

/** Makes the state directory, and records its workspace in it. */
export function prepareState({ root, state }: Layout): void {
  ensurePrivateDir(state)
  assertPrivate(state)
  const device = String(statSync(root, { bigint: true }).dev)
  const known = readCard(state)
  if (known?.root === root && known.device === device) return
  replaceDurable(join(state, CARD), `${JSON.stringify({ version: 1, root, device } satisfies Card)}\n`, 0o600)
}

const CARD = 'workspace.json'

function readCard(state: string): Card | undefined {
  try {
    const card: unknown = JSON.parse(readFileSync(join(state, CARD), 'utf8'))
    return isCard(card) ? card : undefined
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function isCard(value: unknown): value is Card {
  if (typeof value !== 'object' || value === null) return false
  const { root, device } = value as Readonly<Record<string, unknown>>
  return typeof root === 'string' && typeof device === 'string'
}

/** Throws if the state is in the workspace: a clone would bring it. */
function assertOutside(base: string, root: string): void {
  if (!isWithin(physical(base), root)) return
  throw new EscrowError('access_denied', `The state directory ${base} is in the workspace ${root}.`, {
    hint: 'Set XDG_STATE_HOME, or HOME, to a directory outside it.',
  })
}

/** The physical path of the part that exists, followed by the rest. */
function physical(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if (codeOf(error) !== 'ENOENT' || parent === path) throw error
    return join(physical(parent), path.slice(parent.length))
  }
}

/** Throws if other users can write, and so forge the state. */
function assertPrivate(state: string): void {
  const self = process.geteuid?.()
  if (self === undefined) return
  for (const path of [dirname(dirname(state)), dirname(state), state]) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (!stats.isDirectory() || stats.uid !== self || (stats.mode & 0o022) !== 0)
      throw new EscrowError('access_denied', `${path} is not a directory that only you can write to.`, {
        hint: `Take ownership with chown, then run 'chmod 700 ${path}'. If its file system keeps no permissions, set XDG_STATE_HOME to a directory on another one.`,
      })
  }
}
