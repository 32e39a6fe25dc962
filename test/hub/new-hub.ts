import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sha256hex } from '../../overlay/digest.js'
import { openDatabase } from '../../src/hub/index.js'
import { MIGRATIONS } from '../../src/hub/migrations.js'

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/**
 * Creates the directory of a new hub as `escrow hub` does. Creating a database takes seconds, so it is created once for
 * each version and copied.
 */
export async function copyNewHub(to: string): Promise<void> {
  hub ??= make()
  const { status, stderr } = spawnSync('cp', ['-R', await hub, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The hub cannot be copied: ${stderr}`)
}

let hub: Promise<string> | undefined

async function make(): Promise<string> {
  const { version } = JSON.parse(readFileSync(`${MODULES}/@electric-sql/pglite/package.json`, 'utf8'))
  const cache = join(MODULES, '.cache', 'escrowfs-hubs')
  const done = join(cache, sha256hex(JSON.stringify([version, MIGRATIONS])))
  if (existsSync(done)) return done
  const temporary = `${done}.${process.pid}`
  mkdirSync(cache, { recursive: true })
  try {
    await openDatabase({ directory: temporary }, async () => undefined)
    renameSync(temporary, done)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(done)) throw error
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  return done
}
