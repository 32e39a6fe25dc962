import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync, realpathSync } from 'node:fs'
import Module from 'node:module'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EscrowError, type HostFsOptions, hostFs, hostPrograms, type Session } from '../../index.js'
import type { RooShell } from './shell.js'

/** Which modules get the governed `fs`, and what more of it. */
export interface AliasOptions extends Omit<HostFsOptions, 'isHostsOwn'> {
  /** The host's code: its bundle, or directories of CommonJS modules. It is what gets the governed `fs`. */
  readonly modules: readonly string[]
  /**
   * Whether those modules get a governed `child_process` as well, as {@link hostPrograms} makes it: within a tool call no program
   * runs uncontained. They do unless this says false; then a host's commands run on the disk.
   */
  readonly programs?: boolean
  /** What runs the host's commands contained: within a tool call it is started all the same. */
  readonly shell?: Pick<RooShell, 'path'>
}

/** A governed `fs` in the place of the real one, for some modules. */
export interface Alias {
  /** What those modules get for `fs`; its `promises` is their `fs/promises`. */
  readonly fs: Session['fs']
  /**
   * The modules' calls in the flow of calls this is called in belong to a session from now on, until it is called again there.
   * Outside of a tool call such a flow changes nothing in the workspace. Other flows have the session the alias was made with.
   */
  enter(session: Session): void
  /** Of those modules what was loaded already, with the real `fs`. It is loaded anew when it is required again. */
  readonly loadedBefore: readonly string[]
  /** From now on modules get the real `fs` again. What was loaded meanwhile stays governed. */
  uninstall(): void
}

/**
 * Gives a host's CommonJS modules the governed `fs` for `fs`, `fs/promises` and their `node:` forms. Modules of escrowfs,
 * and what those have loaded, keep the real one. Install it before the host's code is loaded.
 * @param session asked anew by each call, so that a host can go on with another; where it throws, the call fails
 * @throws EscrowError `unsupported` where no module is named, or this Node does not load modules by `Module._load`
 */
export function aliasModules(session: Session | (() => Session), options: AliasOptions): Alias {
  const flow = new AsyncLocalStorage<Session>()
  const given = typeof session === 'function' ? session : () => session
  const current = () => flow.getStore() ?? given()
  const { outsideCalls = () => 'stage' } = options
  let hasEntered = false
  const enter = (of: Session) => {
    hasEntered = true
    flow.enterWith(of)
  }
  const fs = hostFs(current, {
    host: 'roo',
    ...options,
    outsideCalls: (path) => (flow.getStore() === undefined ? outsideCalls(path) : 'refuse'),
    isHostsOwn: () => hasEntered && flow.getStore() === undefined,
  })
  const faces = new Map<unknown, unknown>([
    ['fs', fs],
    ['node:fs', fs],
    ['fs/promises', fs.promises],
    ['node:fs/promises', fs.promises],
  ])
  if (options.programs !== false) {
    const { shell, hostDirectories } = options
    const programs = hostPrograms(current, { shell: shell?.path, hostDirectories })
    faces.set('child_process', programs).set('node:child_process', programs)
  }
  const places = options.modules.map(physical)
  const isPlaced = (file: string) => !isBelow(file, OURS) && places.some((place) => isBelow(file, place))
  const earlier = takeFromCache(isPlaced)
  const isHosts = (module: unknown) => isPlaced(fileOf(module) ?? '') && !comesFrom(module, new Set(earlier.values()))
  const load: unknown = Reflect.get(Module, '_load')
  if (typeof load !== 'function') throw new EscrowError('unsupported', CANNOT)
  let isInstalled = true
  const governedLoad = function (this: unknown, ...args: unknown[]): unknown {
    const [request, parent] = args
    return isInstalled && faces.has(request) && isHosts(parent) ? faces.get(request) : Reflect.apply(load, this, args)
  }
  const uninstall = () => {
    isInstalled = false
    // Who came later calls this one, which is none any more.
    if (Reflect.get(Module, '_load') === governedLoad) Reflect.set(Module, '_load', load)
  }
  Reflect.set(Module, '_load', governedLoad)
  if (!places.every((place) => requiredBy(place) === fs) || places.length === 0) {
    uninstall()
    throw new EscrowError('unsupported', places.length === 0 ? 'No module is named that is to be governed.' : CANNOT)
  }
  return { fs, enter, loadedBefore: [...earlier.keys()], uninstall }
}

const CANNOT = 'This Node does not load CommonJS modules by Module._load, or other code has taken it over.'

/** The directory of this package. */
const OURS = packageOf(dirname(fileURLToPath(import.meta.url)))

function packageOf(dir: string): string {
  return existsSync(`${dir}/package.json`) || dir === dirname(dir) ? dir : packageOf(dirname(dir))
}

/** Modules are known by their physical names. */
function physical(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path)
}

function isBelow(file: string, place: string): boolean {
  return file === place || file.startsWith(place.endsWith(sep) ? place : place + sep)
}

function fileOf(module: unknown): string | undefined {
  if (typeof module !== 'object' || module === null || !('filename' in module)) return undefined
  return typeof module.filename === 'string' ? module.filename : undefined
}

/** Whether it is one of some modules, or was first required by one of them. */
function comesFrom(module: unknown, some: ReadonlySet<unknown>): boolean {
  for (let at: unknown = module; typeof at === 'object' && at !== null; at = Reflect.get(at, 'parent'))
    if (some.has(at)) return true
  return false
}

/** A library that escrowfs shares with the host was loaded with the real `fs`: the host gets one of its own. */
function takeFromCache(isWanted: (file: string) => boolean): Map<string, unknown> {
  const taken = new Map<string, unknown>()
  const cache: unknown = Reflect.get(Module, '_cache')
  if (typeof cache !== 'object' || cache === null) return taken
  for (const [file, module] of Object.entries(cache)) if (isWanted(file)) taken.set(file, module)
  for (const file of taken.keys()) Reflect.deleteProperty(cache, file)
  return taken
}

/** What a module there would get for `fs`. */
function requiredBy(place: string): unknown {
  const probe = new Module(place)
  probe.filename = place
  return probe.require('fs')
}
