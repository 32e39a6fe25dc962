import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Module, readModule } from './modules.js'

/** Finds used exports, files and packages of this repository. Paths are relative to it. */

export const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..')

export function filesBelow(dir: string, ending: RegExp): string[] {
  return (
    readdirSync(join(REPOSITORY, dir), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && ending.test(entry.name))
      .map((entry) => relative(REPOSITORY, join(entry.parentPath, entry.name)))
      // An example can have its own packages.
      .filter((file) => !file.split(sep).includes('node_modules'))
      .sort()
  )
}

/** Resolves a specifier in a file to a source of this repository. Returns the name of a package unchanged. */
export function resolveModule(file: string, name: string): string {
  if (!name.startsWith('.')) return name
  const path = relative(REPOSITORY, resolve(REPOSITORY, dirname(file), name))
  return sourceOf(path) ?? path
}

/** Finds the source `a/b.ts` of `a/b.js`. */
function sourceOf(path: string): string | undefined {
  const stem = path.replace(/\.js$/, '')
  return [path, `${stem}.ts`, `${stem}.tsx`].find((each) => existsSync(join(REPOSITORY, each)))
}

export interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

export const MANIFEST = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as Manifest

/** The sources of the package's `exports` and `bin`. */
export function entries(): string[] {
  const targets = [...Object.values(MANIFEST.exports), ...Object.values(MANIFEST.bin)]
  const built = targets.map((each) => (typeof each === 'string' ? each : each.default))
  return built.flatMap((file) => /^(?:\.\/)?dist\/(.*)\.js$/.exec(file)?.[1] ?? []).map((stem) => `${stem}.ts`)
}

/** The imports and exports among a set of files. */
export class Usage {
  readonly #modules: ReadonlyMap<string, Module>

  constructor(files: readonly string[]) {
    this.#modules = new Map(files.map((file) => [file, readModule(join(REPOSITORY, file))]))
  }

  get files(): string[] {
    return [...this.#modules.keys()]
  }

  module(file: string): Module {
    const found = this.#modules.get(file)
    if (!found) throw new Error(`${file} is none of these files.`)
    return found
  }

  /** The exports, as `file#name`, that a file accepted by `isCounted` imports, or that an entry exposes. */
  usedExports(isCounted: (file: string) => boolean, opened: readonly string[]): ReadonlySet<string> {
    const used = new Set<string>()
    const mark = (file: string, name: string): void => {
      const module = this.#modules.get(file)
      if (!module || used.has(`${file}#${name}`)) return
      used.add(`${file}#${name}`)
      if (name === '*') for (const each of this.exportedNames(file)) mark(file, each)
      for (const each of module.referencedTypes.get(name) ?? []) if (module.types.includes(each)) mark(file, each)
      for (const { from, name: was, as } of module.reexports)
        if (as === name || as === '*') mark(resolveModule(file, from), as === '*' ? name : was)
    }
    for (const file of opened) mark(file, '*')
    for (const [file, { imports }] of this.#modules)
      if (isCounted(file)) for (const { from, name } of imports) mark(resolveModule(file, from), name)
    return used
  }

  /** The exported names of a file, including re-exports by name. */
  exportedNames(file: string): string[] {
    const { exports, reexports } = this.module(file)
    return [...exports, ...reexports.map(({ as }) => as).filter((as) => as !== '*')]
  }

  /** The files that are imported or named, starting from these. */
  reachedFiles(roots: readonly string[]): ReadonlySet<string> {
    const reached = new Set<string>()
    const waiting = [...roots]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (reached.has(file) || !this.#modules.has(file)) continue
      reached.add(file)
      const { specifiers, paths } = this.module(file)
      waiting.push(...specifiers.map((name) => resolveModule(file ?? '', name)))
      for (const path of paths) waiting.push(...this.#filesNamedBy(file, path))
    }
    return reached
  }

  /**
   * The files that a string literal names: relative to its file, to the root, or to test/children. Sources
   * are always imported, so they do not count here.
   */
  #filesNamedBy(file: string, text: string): string[] {
    const name = text.replace(/^\//, '')
    const places = [join(dirname(file), name), name, join('test/children', name.slice(name.lastIndexOf('/') + 1))]
    return places.flatMap((place) => sourceOf(place) ?? []).filter((file) => !/^(?:src|overlay)\//.test(file))
  }
}

/** The package of a specifier: `@scope/name` of `@scope/name/file`. Undefined for other specifiers. */
export function packageOf(specifier: string): string | undefined {
  if (/^[.#/]|^node:/.test(specifier) || specifier === '') return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
