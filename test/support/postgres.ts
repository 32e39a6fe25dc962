import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../src/core/ids.js'
import { freePort } from './free-port.js'

export interface Postgres {
  /** The address of a database whose owner is not a superuser. */
  readonly url: string
  /** The same database, for a superuser. */
  readonly superUrl: string
  /** Kills all connections and starts the server again, as after a crash. */
  restart(): void
  stop(): void
}

/**
 * Databases that no other suite may share: one with an older schema, and one whose worker lands waiting changes of any
 * workspace.
 */
const OTHER_DATABASES = ['older', 'landing', 'programs'] as const

/** The address of another database of the server. @param url that of its database `hub` */
export function otherDatabase(url: string, name: (typeof OTHER_DATABASES)[number]): string {
  return `${url.replace(/\/hub$/, '')}/${name}`
}

/** Where Debian's package has the programs, by version. */
export const DEBIAN = '/usr/lib/postgresql'

/** The directory of PostgreSQL's programs, or undefined if there is none. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const places = [...versions.map((version) => join(DEBIAN, version, 'bin')), ...(process.env.PATH ?? '').split(':')]
  return places.find((place) => existsSync(join(place, 'initdb')))
}

/**
 * Starts a PostgreSQL server in a new directory, on loopback.
 * @param programs the directory of initdb and pg_ctl
 * @param isDurable whether commits are synced to disk, as on a production server
 */
export async function startPostgres(programs: string, isDurable: boolean): Promise<Postgres> {
  const place = mkdtempSync(join(tmpdir(), 'escrowfs-postgres-'))
  const account = accountOf()
  if (account !== undefined) chownSync(place, account.uid, account.gid)
  const run = (program: string, args: readonly string[], input?: string) =>
    execFileSync(join(programs, program), args, { cwd: place, input, stdio: ['pipe', 'ignore', 'inherit'], ...account })
  const data = ['-D', join(place, 'data')]
  const halt = () =>
    spawnSync(join(programs, 'pg_ctl'), [...data, '-m', 'immediate', 'stop'], { cwd: place, ...account })
  const stop = () => {
    // It fails if the server has not started.
    halt()
    rmSync(place, { recursive: true, force: true })
  }
  try {
    const password = newId()
    writeFileSync(join(place, 'password'), password, { mode: 0o644 })
    const auth = ['-U', 'super', '-A', 'scram-sha-256', `--pwfile=${join(place, 'password')}`]
    run('initdb', [...data, '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync', ...auth])
    const port = await freePort()
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      'unix_socket_directories=',
      ...(isDurable ? [] : ['fsync=off']),
    ]
    const options = settings.map((setting) => `-c ${setting}`).join(' ')
    const start = () => run('pg_ctl', [...data, '-l', join(place, 'log'), '-o', options, '-w', 'start'])
    start()
    const address = (user: string, database: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`
    const databases = ['hub', ...OTHER_DATABASES].map((name) => `create database ${name} owner hub;`)
    const sql = [`create role hub login createrole password '${password}';`, ...databases].join('\n')
    run('psql', ['-v', 'ON_ERROR_STOP=1', address('super', 'postgres')], sql)
    const restart = () => {
      halt()
      start()
    }
    return { url: address('hub', 'hub'), superUrl: address('super', 'hub'), restart, stop }
  } catch (error) {
    stop()
    throw error
  }
}

/** PostgreSQL refuses to run as root; Debian's package has created an account for it. */
function accountOf(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
