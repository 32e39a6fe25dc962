import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'

/** The built page, where the package is: `npm run build` makes it. */
export function builtPage(): string {
  return join(dirname(createRequire(import.meta.url).resolve('escrowfs/package.json')), 'dist', 'web')
}

export interface PageFile {
  readonly type: string
  readonly content: string | Uint8Array<ArrayBuffer>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * The page's files by name, all read now: what a request names is looked up among them and never opened.
 * @throws where the page was not built.
 */
export function readPage(directory: string): ReadonlyMap<string, PageFile> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    names.map((file) => {
      const name = file.slice(join(directory, '/').length).replaceAll('\\', '/')
      return [name, { type: TYPES[extname(file)] ?? '', content: new Uint8Array(readFileSync(file)) }]
    }),
  )
}
