import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The directory of the escrowfs package. The bundled command has a package.json without a name next to it. */
export function packageRoot(): string {
  return rootAbove(dirname(fileURLToPath(import.meta.url)))
}

function rootAbove(dir: string): string {
  const file = join(dir, 'package.json')
  const isOurs = existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === 'escrowfs'
  return isOurs || dir === dirname(dir) ? dir : rootAbove(dirname(dir))
}
