import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, extname, isAbsolute, join, relative } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { type HomeHost, homeOf } from '../hosts/index.js'
import { takeOwnership } from '../os/owner.js'
import { isLink, readSmall } from '../os/read.js'
import { createFile, ensureDir, ensurePrivateDir } from '../os/write.js'
import { refreshHomeCopy, removeInside } from './home-copy.js'

/** A directory outside the workspace that a command may write to. Its writes go to a layer above the directory, or to a copy. */
export interface HomeMount {
  /** Absolute and physical. */
  readonly at: string
  /** The directory of the layer, kept for later commands; undefined for a layer that is dropped with the command. */
  readonly layer: string | undefined
  /** The copy that commands write to, if they run on a copy of the workspace. */
  readonly copy?: string
}

/** A file or directory that no command may change. A missing one is shown as empty. */
export interface ReadOnlyEntry {
  readonly at: string
  readonly kind: 'directory' | 'json' | 'text'
  readonly exists: boolean
}

/** The parts of the home directory that a client may write while it runs. */
export interface HomeView {
  readonly mounts: readonly HomeMount[]
  readonly readOnly: readonly ReadOnlyEntry[]
  /** Variables that tell the client where its directories are. */
  readonly env: Readonly<Record<string, string>>
}

/** A view that one command has exclusively. */
export interface MountedHome extends HomeView {
  release(): void
}

/** The access to the home directory that a program asks for. */
export interface HomeRequest {
  /** The client whose directories the program may write to. */
  readonly client?: HomeHost | undefined
  /** Write access to the whole home directory. The writes are dropped when the program ends. */
  readonly home?: boolean | undefined
}

/** Where the layers of a workspace's clients are, and how its commands see the workspace. */
export interface HomePlace {
  readonly root: string
  /** The directory of the layers, which one command has at a time. */
  readonly layersDir: string
  /** How commands run: above layers, or on copies. */
  readonly tree: 'overlay' | 'copy'
}

/** Largest file that is copied into a client's layer, in bytes. */
const MAX_COPIED = 16 << 20

/**
 * Takes exclusive access to the parts of the home directory that a program may write.
 * @throws EscrowError `session_busy` if another command of this workspace has them, `unsupported` if they cannot be copied.
 */
export async function takeHome(
  { client, home }: HomeRequest,
  { root, layersDir, tree }: HomePlace,
  env: NodeJS.ProcessEnv = process.env,
): Promise<MountedHome> {
  const base = physicalHome(env)
  const isApart = base !== undefined && !isWithin(base, root)
  if (home && tree === 'copy')
    throw new EscrowError('unsupported', 'Commands run on a copy here, and the whole home directory is not copied.', {
      hint: "Leave '--home' out. Or let the machine mount overlayfs in a namespace: see 'escrow doctor'.",
    })
  const whole: HomeMount[] = home && isApart ? [{ at: base, layer: undefined }] : []
  if (client === undefined || !isApart) return { mounts: whole, readOnly: [], env: {}, release: () => undefined }
  const layerDir = join(layersDir, client)
  const lease = await takeOwnership(join(layerDir, 'owner'), WAIT_MS)
  if (lease === undefined)
    throw new EscrowError(
      'session_busy',
      `Another ${client} already runs in a session of this workspace, with the same state files.`,
      {
        hint: 'Wait until it ends. Two at once would damage the state.',
      },
    )
  try {
    return { ...viewOf(client, { base, root, own: layerDir, tree, env }, whole), release: () => lease.release() }
  } catch (error) {
    lease.release()
    throw error
  }
}

const WAIT_MS = 2_000

interface HomePaths {
  readonly base: string
  readonly root: string
  readonly own: string
  readonly tree: HomePlace['tree']
  readonly env: NodeJS.ProcessEnv
}

function viewOf(client: HomeHost, { base, root, own, tree, env }: HomePaths, whole: readonly HomeMount[]): HomeView {
  const { state, settings, variable, copiedInto } = homeOf(client)
  const moved = variable === undefined ? undefined : env[variable]
  const placeOf = (path: string) => {
    const [first = ''] = state
    const isMoved = moved !== undefined && isAbsolute(moved) && isWithin(path, first)
    return isMoved ? join(moved, relative(first, path)) : join(base, path)
  }
  const mounts = state.flatMap((path, at): HomeMount[] => {
    const place = placeOf(path)
    // The client would create it, but only an existing directory can be mounted over.
    ensureDir(place, 0o700)
    const physical = realpathSync(place)
    if (isWithin(physical, root) || isWithin(root, physical)) return []
    const layer = join(own, String(at))
    if (tree === 'copy') return [{ at: physical, layer, copy: join(layer, 'copy') }]
    for (const name of ['upper', 'work']) ensurePrivateDir(join(layer, name))
    return [{ at: physical, layer }]
  })
  const locate = (path: string) => {
    const place = placeOf(path)
    const mount = mounts.find(({ at }) => isWithin(physicalPath(place), at))
    if (mount?.layer === undefined) return undefined
    return { at: physicalPath(place), mount, written: mount.copy ?? join(mount.layer, 'upper') }
  }
  const fixed: [mount: HomeMount, path: string][] = []
  const readOnly = settings.flatMap((path): ReadOnlyEntry[] => {
    const found = locate(path)
    if (found === undefined) return []
    fixed.push([found.mount, relative(found.mount.at, found.at)])
    // A link leads to a place that cannot be written to anyway.
    return isLink(found.at) ? [] : [{ at: found.at, kind: kindOf(path), exists: existsSync(found.at) }]
  })
  for (const mount of mounts)
    prepareLayer(
      mount,
      fixed.flatMap(([each, path]) => (each === mount ? [path] : [])),
    )
  if (variable === undefined) return { mounts: [...whole, ...mounts], readOnly, env: {} }
  const [first = ''] = state
  const extra = copiedInto && { from: join(base, copiedInto[0]), to: locate(copiedInto[1]) }
  if (extra?.to && moved === undefined) {
    const copy = join(extra.to.written, relative(extra.to.mount.at, extra.to.at))
    if (existsSync(extra.from) && !existsSync(extra.to.at) && !existsSync(copy)) {
      ensurePrivateDir(dirname(copy))
      createFile(copy, readSmall(extra.from, MAX_COPIED), 0o600, false)
    }
  }
  return { mounts: [...whole, ...mounts], readOnly, env: { [variable]: placeOf(first) } }
}

/**
 * Brings a copy up to the person's directory, and removes settings from a layer or a copy. An earlier command left those there: an empty
 * mount point, or a file that no person wrote.
 */
function prepareLayer({ at, layer, copy }: HomeMount, settings: readonly string[]): void {
  if (layer === undefined) return
  if (copy !== undefined) refreshHomeCopy({ at, copy, list: join(layer, 'copied.json') }, settings)
  else for (const path of settings) removeInside(join(layer, 'upper'), path)
}

function kindOf(path: string): ReadOnlyEntry['kind'] {
  const ending = extname(path)
  if (ending === '') return 'directory'
  return ending.startsWith('.json') ? 'json' : 'text'
}

function physicalHome({ HOME }: NodeJS.ProcessEnv): string | undefined {
  const home = HOME || homedir()
  return lstatSync(home, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync(home)
}

/** Resolves the parent directory but not the name itself. */
function physicalPath(path: string): string {
  const parent = dirname(path)
  return existsSync(parent) ? join(realpathSync(parent), path.slice(parent.length + 1)) : path
}
