import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { packageRoot } from '../surface/index.js'

/** The directory of the built page in the package; `npm run build` creates it. */
export function builtPage(): string {
  return join(packageRoot(), 'dist', 'web')
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
 * Reads all of the page's files now, by name. A request's name is only looked up among them.
 * @throws if the page is not built.
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
