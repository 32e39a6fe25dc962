import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sha256hex } from '../../overlay/digest.js'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
/** The sources of the page. */
const SOURCES = ['web', 'src/web', 'src/core/printable.ts', 'src/review/keymap.ts', 'scripts/build-web.mjs']

/**
 * Builds the review page once for each state of its sources.
 * @returns its directory
 */
export function buildPageOnce(): string {
  built ??= build()
  return built
}

let built: string | undefined

function build(): string {
  const done = join(REPOSITORY, 'node_modules', '.cache', 'escrowfs-page', sha256hex(SOURCES.map(textOf).join('\0')))
  if (existsSync(join(done, 'index.html'))) return done
  const temporary = `${done}.${process.pid}`
  const { status } = spawnSync(process.execPath, ['scripts/build-web.mjs', temporary], {
    cwd: REPOSITORY,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('The page could not be built: see above.')
  try {
    renameSync(temporary, done)
  } catch (error) {
    // Another process was faster.
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(join(done, 'index.html'))) throw error
  }
  return done
}

function textOf(name: string): string {
  const path = join(REPOSITORY, name)
  if (/\.\w+$/.test(name)) return readFileSync(path, 'utf8')
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => `${file}\0${readFileSync(file, 'latin1')}`)
    .join('\0')
}
