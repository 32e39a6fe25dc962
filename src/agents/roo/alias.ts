import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync, realpathSync } from 'node:fs'
import Module from 'node:module'
import { resolve, sep } from 'node:path'
import { EscrowError, type HostFsOptions, hostFs, hostPrograms, type Session } from '../../index.js'
import { packageRoot } from '../../surface/index.js'
import type { RooShell } from './shell.js'

/** Options of {@link aliasModules}. */
export interface AliasOptions extends Omit<HostFsOptions, 'isHostsOwn'> {
  /** The host's code, which gets the governed `fs`: its bundle, or directories of CommonJS modules. */
  readonly modules: readonly string[]
  /**
   * Whether those modules also get the `child_process` of {@link hostPrograms}, by which no program runs uncontained within a tool call.
   * True by default. If false, the host's commands run on the disk.
   */
  readonly programs?: boolean
  /** The program that runs the host's commands contained; it may start within a tool call. */
  readonly shell?: Pick<RooShell, 'path'>
}

/** A governed `fs` that replaces the real one for some modules. */
export interface Alias {
  /** The `fs` of those modules; its `promises` is their `fs/promises`. */
  readonly fs: Session['fs']
  /**
   * Assigns the modules' calls in the current async context to a session, until the next call there. Outside a tool call such a context
   * changes nothing in the workspace. Other contexts use the session that the alias was created with.
   */
  enter(session: Session): void
  /** Modules that were already loaded with the real `fs`. They are loaded again when they are next required. */
  readonly loadedBefore: readonly string[]
  /** Gives modules the real `fs` again. Modules that are already loaded stay governed. */
  uninstall(): void
}

/**
 * Gives a host's CommonJS modules the governed `fs` for `fs`, `fs/promises` and their `node:` forms. Modules of
 * escrowfs and their dependencies keep the real one. Call it before the host's code is loaded.
 * @param session the session, or a function that each call evaluates again, so that a host can switch sessions; if it
 * throws, the call fails
 * @throws EscrowError `unsupported` if no module is named, or if this Node does not load modules by `Module._load`
 */
export function aliasModules(session: Session | (() => Session), options: AliasOptions): Alias {
  const flow = new AsyncLocalStorage<Session>()
  const configuredSession = typeof session === 'function' ? session : () => session
  const current = () => flow.getStore() ?? configuredSession()
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
  const replacements = new Map<unknown, unknown>([
    ['fs', fs],
    ['node:fs', fs],
    ['fs/promises', fs.promises],
    ['node:fs/promises', fs.promises],
  ])
  if (options.programs !== false) {
    const { shell, hostDirectories } = options
    const programs = hostPrograms(current, { shell: shell?.path, hostDirectories })
    replacements.set('child_process', programs).set('node:child_process', programs)
  }
  const places = options.modules.map(realPath)
  const isGovernedFile = (file: string) => !isBelow(file, PACKAGE_ROOT) && places.some((place) => isBelow(file, place))
  const loadedBefore = evictFromCache(isGovernedFile)
  const isHostModule = (module: unknown) =>
    isGovernedFile(fileOf(module) ?? '') && !wasRequiredBy(module, new Set(loadedBefore.values()))
  const load: unknown = Reflect.get(Module, '_load')
  if (typeof load !== 'function') throw new EscrowError('unsupported', CANNOT_GOVERN)
  let isInstalled = true
  const governedLoad = function (this: unknown, ...args: unknown[]): unknown {
    const [request, parent] = args
    return isInstalled && replacements.has(request) && isHostModule(parent)
      ? replacements.get(request)
      : Reflect.apply(load, this, args)
  }
  const uninstall = () => {
    isInstalled = false
    // A later hook still calls this one, which now only forwards.
    if (Reflect.get(Module, '_load') === governedLoad) Reflect.set(Module, '_load', load)
  }
  Reflect.set(Module, '_load', governedLoad)
  if (!places.every((place) => requireFsAt(place) === fs) || places.length === 0) {
    uninstall()
    throw new EscrowError('unsupported', places.length === 0 ? 'Name at least one module to govern.' : CANNOT_GOVERN)
  }
  return { fs, enter, loadedBefore: [...loadedBefore.keys()], uninstall }
}

const CANNOT_GOVERN = 'This Node does not load CommonJS modules by Module._load, or other code has taken it over.'

/** The directory of this package. */
const PACKAGE_ROOT = packageRoot()

/** Node identifies modules by their real paths. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path)
}

function isBelow(file: string, place: string): boolean {
  return file === place || file.startsWith(place.endsWith(sep) ? place : place + sep)
}

function fileOf(module: unknown): string | undefined {
  if (typeof module !== 'object' || module === null || !('filename' in module)) return undefined
  return typeof module.filename === 'string' ? module.filename : undefined
}

/** Whether a module is in a set, or one in it first required the module. */
function wasRequiredBy(module: unknown, some: ReadonlySet<unknown>): boolean {
  for (let at: unknown = module; typeof at === 'object' && at !== null; at = Reflect.get(at, 'parent'))
    if (some.has(at)) return true
  return false
}

/** A library that escrowfs shares with the host was loaded with the real `fs`, so the host gets its own instance. */
function evictFromCache(isWanted: (file: string) => boolean): Map<string, unknown> {
  const evicted = new Map<string, unknown>()
  const cache: unknown = Reflect.get(Module, '_cache')
  if (typeof cache !== 'object' || cache === null) return evicted
  for (const [file, module] of Object.entries(cache)) if (isWanted(file)) evicted.set(file, module)
  for (const file of evicted.keys()) Reflect.deleteProperty(cache, file)
  return evicted
}

/** The `fs` that a module there would get. */
function requireFsAt(place: string): unknown {
  const probe = new Module(place)
  probe.filename = place
  return probe.require('fs')
}
