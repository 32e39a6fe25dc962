import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Real code for the change sets: packages of node_modules, and this repository's own sources and tests. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PACKAGES =
  'express body-parser cors router send serve-static finalhandler commander yaml hono jose diff undici semver minipass raw-body http-errors qs proper-lockfile graceful-fs glob path-scurry lru-cache acorn-walk ajv'.split(
    ' ',
  )
const SIZES = { least: 900, most: 14_000 }

export interface SourceFile {
  readonly path: string
  readonly text: string
}

export interface Corpus {
  readonly sources: readonly SourceFile[]
  readonly tests: readonly SourceFile[]
}

/** Reads it in a fixed order, so that sets depend on the seed and the installed versions alone. */
export function readCorpus(): Corpus {
  const packages = PACKAGES.filter((name) => existsSync(join(ROOT, 'node_modules', name))).flatMap((name) =>
    filesBelow(
      `node_modules/${name}`,
      /\.[cm]?js$/,
      /\.min\.|\/(?:cjs|umd|esm|node_modules|es2015|types|wasm|llhttp)\//,
    ),
  )
  const own = filesBelow('src', /\.ts$/, /\.d\.ts$/)
  return {
    sources: [...packages, ...own].map(({ path, text }) => ({ path: placeOf(path), text })),
    tests: filesBelow('test', /\.test\.ts$/, /\/risk\//),
  }
}

/** As in the repository of the package: its built code is next to its sources. */
function placeOf(path: string): string {
  return path.replace(/^node_modules\/([^/]+)\/(?:dist|lib|libesm)?\/?/, 'packages/$1/src/')
}

function filesBelow(folder: string, wanted: RegExp, unwanted: RegExp): SourceFile[] {
  const names = readdirSync(join(ROOT, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return names.flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return unwanted.test(`${path}/`) ? [] : filesBelow(path, wanted, unwanted)
    if (!entry.isFile() || !wanted.test(path) || unwanted.test(path)) return []
    const text = readFileSync(join(ROOT, path), 'utf8')
    const isLong = text.split('\n').some((line) => line.length > 400)
    return text.length < SIZES.least || text.length > SIZES.most || isLong ? [] : [{ path, text }]
  })
}
