import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, extname, isAbsolute, join, relative } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { type HomeHost, homeOf } from '../hosts/index.js'
import { takeOwnership } from '../os/owner.js'
import { isLink, readSmall } from '../os/read.js'
import { createFile, ensureDir, ensurePrivateDir, removeTree } from '../os/write.js'

/** A directory outside the workspace that a command may write to. Its writes go to a layer above the directory. */
export interface HomeMount {
  /** Absolute and physical. */
  readonly at: string
  /** The directory of the layer, kept for later commands; undefined for a layer that is dropped with the command. */
  readonly layer: string | undefined
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

/** Largest file that is copied into a client's layer, in bytes. */
const MAX_COPIED = 16 << 20

/**
 * Takes exclusive access to the parts of the home directory that a program may write.
 * @param layersDir the directory of the layers, which one command has at a time.
 * @throws EscrowError `session_busy` if another command of this workspace has them.
 */
export async function takeHome(
  { client, home }: HomeRequest,
  root: string,
  layersDir: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<MountedHome> {
  const base = physicalHome(env)
  const isApart = base !== undefined && !isWithin(base, root)
  const whole: HomeMount[] = home && isApart ? [{ at: base, layer: undefined }] : []
  if (client === undefined || !isApart) return { mounts: whole, readOnly: [], env: {}, release: () => undefined }
  const own = join(layersDir, client)
  const lease = await takeOwnership(join(own, 'owner'), WAIT_MS)
  if (lease === undefined)
    throw new EscrowError(
      'session_busy',
      `Another ${client} already runs in a session of this workspace, with the same state files.`,
      {
        hint: 'Wait until it ends. Two at once would damage the state.',
      },
    )
  try {
    return { ...viewOf(client, { base, root, own, env }, whole), release: () => lease.release() }
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
  readonly env: NodeJS.ProcessEnv
}

function viewOf(client: HomeHost, { base, root, own, env }: HomePaths, whole: readonly HomeMount[]): HomeView {
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
    for (const name of ['upper', 'work']) ensurePrivateDir(join(layer, name))
    return [{ at: physical, layer }]
  })
  const within = (path: string) => {
    const place = placeOf(path)
    const mount = mounts.find(({ at }) => isWithin(physicalPath(place), at))
    return mount?.layer === undefined ? undefined : { at: physicalPath(place), mount, layer: mount.layer }
  }
  const readOnly = settings.flatMap((path): ReadOnlyEntry[] => {
    const found = within(path)
    if (found === undefined) return []
    // An earlier command left it there: an empty mount point, or a file that no person wrote.
    removeTree(join(found.layer, 'upper', relative(found.mount.at, found.at)))
    // A link leads to a place that cannot be written to anyway.
    return isLink(found.at) ? [] : [{ at: found.at, kind: kindOf(path), exists: existsSync(found.at) }]
  })
  if (variable === undefined) return { mounts: [...whole, ...mounts], readOnly, env: {} }
  const [first = ''] = state
  const extra = copiedInto && { from: join(base, copiedInto[0]), to: within(copiedInto[1]) }
  if (extra?.to && moved === undefined) {
    const copy = join(extra.to.layer, 'upper', relative(extra.to.mount.at, extra.to.at))
    if (existsSync(extra.from) && !existsSync(extra.to.at) && !existsSync(copy)) {
      ensurePrivateDir(dirname(copy))
      createFile(copy, readSmall(extra.from, MAX_COPIED), 0o600, false)
    }
  }
  return { mounts: [...whole, ...mounts], readOnly, env: { [variable]: placeOf(first) } }
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
