import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, extname, isAbsolute, join, relative } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { takeOwnership } from '../host/owner.js'
import { isLink, readSmall } from '../host/read.js'
import { createFile, ensureDir, ensurePrivateDir, removeTree } from '../host/write.js'
import { type HomeHost, homeOf } from '../hosts/index.js'

/** A directory outside of the workspace that a command may write to: what it writes goes to a layer above it. */
export interface HomeMount {
  /** Absolute and physical. */
  readonly at: string
  /** The directory of the layer, kept for later commands; undefined: it goes with the command. */
  readonly layer: string | undefined
}

/** A file or directory that no command may change; where it is missing, an empty one. */
export interface Fixed {
  readonly at: string
  readonly kind: 'directory' | 'json' | 'text'
  readonly isThere: boolean
}

/** What a client has of the home directory while it runs. */
export interface HomeView {
  readonly mounts: readonly HomeMount[]
  readonly fixed: readonly Fixed[]
  /** Variables that lead the client there. */
  readonly env: Readonly<Record<string, string>>
}

/** A view that one command has for itself. */
export interface MountedHome extends HomeView {
  release(): void
}

/** What a program asks of the home directory. */
export interface HomeWish {
  /** Whose own directories it may write to. */
  readonly client?: HomeHost | undefined
  /** It may write to all of the home directory; what it writes there goes when it ends. */
  readonly home?: boolean | undefined
}

/** Bytes of a file that is copied for a client. */
const MOST_BESIDE = 16 << 20

/**
 * Takes what a program may write in the home directory. The layers lie in `kept`, one command has them at a time.
 * @throws EscrowError `session_busy` where another command of this workspace has them.
 */
export async function takeHome(
  { client, home }: HomeWish,
  root: string,
  kept: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<MountedHome> {
  const base = physicalHome(env)
  const isApart = base !== undefined && !isWithin(base, root)
  const whole: HomeMount[] = home && isApart ? [{ at: base, layer: undefined }] : []
  if (client === undefined || !isApart) return { mounts: whole, fixed: [], env: {}, release: () => undefined }
  const own = join(kept, client)
  const lease = await takeOwnership(join(own, 'owner'), WAIT_MS)
  if (lease === undefined)
    throw new EscrowError('session_busy', `Another ${client} runs in a session of this workspace, and has its state.`, {
      hint: 'Wait for its end. What both kept would be damaged.',
    })
  try {
    return { ...viewOf(client, { base, root, own, env }, whole), release: () => lease.release() }
  } catch (error) {
    lease.release()
    throw error
  }
}

const WAIT_MS = 2_000

interface Around {
  readonly base: string
  readonly root: string
  readonly own: string
  readonly env: NodeJS.ProcessEnv
}

function viewOf(client: HomeHost, { base, root, own, env }: Around, whole: readonly HomeMount[]): HomeView {
  const { state, settings, variable, beside } = homeOf(client)
  const moved = variable === undefined ? undefined : env[variable]
  const placeOf = (path: string) => {
    const [first = ''] = state
    const isMoved = moved !== undefined && isAbsolute(moved) && isWithin(path, first)
    return isMoved ? join(moved, relative(first, path)) : join(base, path)
  }
  const mounts = state.flatMap((path, at): HomeMount[] => {
    const place = placeOf(path)
    // The client would make it itself; nothing can be mounted where there is nothing.
    ensureDir(place, 0o700)
    const physical = realpathSync(place)
    if (isWithin(physical, root) || isWithin(root, physical)) return []
    const layer = join(own, String(at))
    for (const name of ['upper', 'work']) ensurePrivateDir(join(layer, name))
    return [{ at: physical, layer }]
  })
  const within = (path: string) => {
    const place = placeOf(path)
    const mount = mounts.find(({ at }) => isWithin(physicalWay(place), at))
    return mount?.layer === undefined ? undefined : { at: physicalWay(place), mount, layer: mount.layer }
  }
  const fixed = settings.flatMap((path): Fixed[] => {
    const found = within(path)
    if (found === undefined) return []
    // What lies there of an earlier command's is an empty one's place, or nothing that a person put there.
    removeTree(join(found.layer, 'upper', relative(found.mount.at, found.at)))
    // A link leads to a place that cannot be written to anyway.
    return isLink(found.at) ? [] : [{ at: found.at, kind: kindOf(path), isThere: existsSync(found.at) }]
  })
  if (variable === undefined) return { mounts: [...whole, ...mounts], fixed, env: {} }
  const [first = ''] = state
  const besides = beside && { from: join(base, beside[0]), to: within(beside[1]) }
  if (besides?.to && moved === undefined) {
    const copy = join(besides.to.layer, 'upper', relative(besides.to.mount.at, besides.to.at))
    if (existsSync(besides.from) && !existsSync(besides.to.at) && !existsSync(copy)) {
      ensurePrivateDir(dirname(copy))
      createFile(copy, readSmall(besides.from, MOST_BESIDE), 0o600, false)
    }
  }
  return { mounts: [...whole, ...mounts], fixed, env: { [variable]: placeOf(first) } }
}

function kindOf(path: string): Fixed['kind'] {
  const ending = extname(path)
  if (ending === '') return 'directory'
  return ending.startsWith('.json') ? 'json' : 'text'
}

function physicalHome({ HOME }: NodeJS.ProcessEnv): string | undefined {
  const home = HOME || homedir()
  return lstatSync(home, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync(home)
}

/** The physical path of the directory a name is in, and the name. */
function physicalWay(path: string): string {
  const parent = dirname(path)
  return existsSync(parent) ? join(realpathSync(parent), path.slice(parent.length + 1)) : path
}
