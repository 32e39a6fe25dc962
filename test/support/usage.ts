import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Module, moduleOf } from './modules.js'

/** Who uses what of this repository: exports, files, packages. Files are named relative to it. */

export const HOUSE = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..')

export function filesBelow(dir: string, ending: RegExp): string[] {
  return (
    readdirSync(join(HOUSE, dir), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && ending.test(entry.name))
      .map((entry) => relative(HOUSE, join(entry.parentPath, entry.name)))
      // An example can have packages of its own.
      .filter((file) => !file.split(sep).includes('node_modules'))
      .sort()
  )
}

/** The source of a module by a name in a file: of this repository, or of a package as it is spelt. */
export function resolved(file: string, name: string): string {
  if (!name.startsWith('.')) return name
  const path = relative(HOUSE, resolve(HOUSE, dirname(file), name))
  return sourceOf(path) ?? path
}

/** `a/b.js` is made of `a/b.ts`. */
function sourceOf(path: string): string | undefined {
  const stem = path.replace(/\.js$/, '')
  return [path, `${stem}.ts`, `${stem}.tsx`].find((each) => existsSync(join(HOUSE, each)))
}

export interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

export const MANIFEST = JSON.parse(readFileSync(join(HOUSE, 'package.json'), 'utf8')) as Manifest

/** The sources that the package's `exports` and `bin` lead to. */
export function entries(): string[] {
  const targets = [...Object.values(MANIFEST.exports), ...Object.values(MANIFEST.bin)]
  const built = targets.map((each) => (typeof each === 'string' ? each : each.default))
  return built.flatMap((file) => /^(?:\.\/)?dist\/(.*)\.js$/.exec(file)?.[1] ?? []).map((stem) => `${stem}.ts`)
}

/** Files that belong together: who takes which name of which. */
export class Usage {
  readonly #modules: ReadonlyMap<string, Module>

  constructor(files: readonly string[]) {
    this.#modules = new Map(files.map((file) => [file, moduleOf(join(HOUSE, file))]))
  }

  get files(): string[] {
    return [...this.#modules.keys()]
  }

  module(file: string): Module {
    const found = this.#modules.get(file)
    if (!found) throw new Error(`${file} is none of these files.`)
    return found
  }

  /** `file#name` of all that is taken by the files that `counts` lets through, or is reached by an entry. */
  used(counts: (file: string) => boolean, opened: readonly string[]): ReadonlySet<string> {
    const used = new Set<string>()
    const mark = (file: string, name: string): void => {
      const module = this.#modules.get(file)
      if (!module || used.has(`${file}#${name}`)) return
      used.add(`${file}#${name}`)
      if (name === '*') for (const each of this.given(file)) mark(file, each)
      for (const each of module.spelt.get(name) ?? []) if (module.types.includes(each)) mark(file, each)
      for (const { from, name: was, as } of module.handsOn)
        if (as === name || as === '*') mark(resolved(file, from), as === '*' ? name : was)
    }
    for (const file of opened) mark(file, '*')
    for (const [file, { takes }] of this.#modules)
      if (counts(file)) for (const { from, name } of takes) mark(resolved(file, from), name)
    return used
  }

  /** The names a file lets others have, those it hands on by name among them. */
  given(file: string): string[] {
    const { exports, handsOn } = this.module(file)
    return [...exports, ...handsOn.map(({ as }) => as).filter((as) => as !== '*')]
  }

  /** The files that are loaded or named, from these on. */
  reached(roots: readonly string[]): ReadonlySet<string> {
    const reached = new Set<string>()
    const waiting = [...roots]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (reached.has(file) || !this.#modules.has(file)) continue
      reached.add(file)
      const { specifiers, paths } = this.module(file)
      waiting.push(...specifiers.map((name) => resolved(file ?? '', name)))
      for (const path of paths) waiting.push(...this.#named(file, path))
    }
    return reached
  }

  /**
   * What a text of a file names: from where it is, from the root, or one of the children that tests start. The sources
   * are imported, and never only named.
   */
  #named(file: string, text: string): string[] {
    const name = text.replace(/^\//, '')
    const places = [join(dirname(file), name), name, join('test/children', name.slice(name.lastIndexOf('/') + 1))]
    return places.flatMap((place) => sourceOf(place) ?? []).filter((file) => !/^(?:src|overlay)\//.test(file))
  }
}

/** `@scope/name/file` → `@scope/name`; undefined for what is no package. */
export function packageOf(specifier: string): string | undefined {
  if (/^[.#/]|^node:/.test(specifier) || specifier === '') return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
