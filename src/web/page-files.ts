import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The built page, where the package is: `npm run build` makes it. */
export function builtPage(): string {
  return join(packageAbove(dirname(fileURLToPath(import.meta.url))), 'dist', 'web')
}

/** The package's own directory. The bundled command has a package.json beside it, which has no name. */
function packageAbove(directory: string): string {
  const file = join(directory, 'package.json')
  const isOurs = existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === 'escrowfs'
  return isOurs || directory === dirname(directory) ? directory : packageAbove(dirname(directory))
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
