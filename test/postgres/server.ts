import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { newId } from '../../src/core/ids.js'
import { freePort } from '../support/free-port.js'
import { ensureTools } from '../support/machine.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of a database whose owner is no superuser. */
    hubDatabase: string
  }
}

/** Starts a PostgreSQL server in a directory of its own, on loopback, and removes it at the end. */
export default async function setup(project: TestProject): Promise<() => void> {
  if (findPrograms() === undefined) ensureTools(DEBIAN)
  const programs = findPrograms()
  if (programs === undefined) throw new Error(`PostgreSQL is missing: ${DEBIAN} has no initdb, nor has the PATH.`)
  const place = mkdtempSync(join(tmpdir(), 'escrowfs-postgres-'))
  const account = accountOf()
  if (account !== undefined) chownSync(place, account.uid, account.gid)
  const run = (program: string, args: readonly string[], input?: string) =>
    execFileSync(join(programs, program), args, { cwd: place, input, stdio: ['pipe', 'ignore', 'inherit'], ...account })
  const stop = () => {
    // It fails where the server has not started.
    spawnSync(join(programs, 'pg_ctl'), ['-D', join(place, 'data'), '-m', 'immediate', 'stop'], {
      cwd: place,
      ...account,
    })
    rmSync(place, { recursive: true, force: true })
  }
  try {
    const password = newId()
    writeFileSync(join(place, 'password'), password, { mode: 0o644 })
    const auth = ['-U', 'super', '-A', 'scram-sha-256', `--pwfile=${join(place, 'password')}`]
    run('initdb', ['-D', join(place, 'data'), '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync', ...auth])
    const port = await freePort()
    const options = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories= -c fsync=off`
    run('pg_ctl', ['-D', join(place, 'data'), '-l', join(place, 'log'), '-o', options, '-w', 'start'])
    const address = (user: string, database: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`
    const sql = `create role hub login createrole password '${password}'; \n create database hub owner hub; \n create database older owner hub;`
    run('psql', ['-v', 'ON_ERROR_STOP=1', address('super', 'postgres')], sql)
    project.provide('hubDatabase', address('hub', 'hub'))
    return stop
  } catch (error) {
    stop()
    throw error
  }
}

/** PostgreSQL refuses to run as root; Debian's package has made an account for it. */
function accountOf(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Where Debian's package has the programs, by version. */
const DEBIAN = '/usr/lib/postgresql'

function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const places = [...versions.map((version) => join(DEBIAN, version, 'bin')), ...(process.env.PATH ?? '').split(':')]
  return places.find((place) => existsSync(join(place, 'initdb')))
}
