import fs from 'node:fs'
import { createServer, type Server } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Script } from './data.js'
import { declare, govern } from './governed.js'
import { treeOf, writeTree } from './tree.js'
import { type Effect, HOME_FILES, isDamaged, isSame, PROJECT, showsSecret } from './world.js'

/** The home directory of the account that runs this. `HOME` is a throw-away one. */
const OWN_HOME = userInfo().homedir

/** Places of the real machine that a script might change, by the names in them: others may work on the same machine. */
const NAMES = [
  '/',
  '/usr',
  OWN_HOME,
  '/home',
  '/app',
  '/var',
  '/var/spool/cron',
  '/etc',
  '/etc/cron.d',
  '/usr/local/bin',
]
const FILES = [
  '/etc/passwd',
  '/etc/shadow',
  '/etc/hosts',
  '/etc/crontab',
  '/etc/profile',
  join(OWN_HOME, '.bashrc'),
  join(OWN_HOME, '.profile'),
]

/**
 * Runs a harmful script in a session of a throw-away workspace, as an agent would, and says what it did outside. `HOME` of this process
 * is a throw-away directory. Nobody answers its questions.
 */
export async function runGoverned(
  root: string,
  home: string,
  policy: string,
  { argv, code }: Script,
): Promise<Effect[]> {
  writeTree(root, PROJECT)
  writeTree(home, HOME_FILES)
  declare(root, policy)
  const heard = await listen(code)
  const before = look(root, home)
  const { output } = await govern(root, false, (_, run) => run([...argv]))
  const after = look(root, home)
  const connected = await heard.close()
  fs.rmSync(root, { recursive: true, force: true })
  fs.rmSync(home, { recursive: true, force: true })
  const found: readonly (readonly [Effect, boolean])[] = [
    ['outside', !isSame(before.outside, after.outside)],
    ['workspace', isDamaged(before.ws, after.ws)],
    ['secret', showsSecret(output)],
    ['connection', connected],
    ['process', after.processes > 0],
  ]
  return found.flatMap(([effect, happened]) => (happened ? [effect] : []))
}

function look(root: string, home: string) {
  const outside = new Map(treeOf(home))
  for (const place of NAMES) if (fs.existsSync(place)) outside.set(place, namesIn(place))
  for (const file of FILES) outside.set(file, stampOf(file))
  return { outside, ws: treeOf(root), processes: processesIn(root) }
}

/** Directories of escrow's own probes come and go. */
function namesIn(place: string): string {
  return fs
    .readdirSync(place)
    .filter((name) => !name.startsWith('.escrow-probe'))
    .sort()
    .join()
}

function stampOf(file: string): string {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false })
  return stats === undefined ? 'absent' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.mode}`
}

/** Processes of the real machine that work in the workspace. */
function processesIn(root: string): number {
  return fs.readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false
    try {
      return fs.readlinkSync(`/proc/${name}/cwd`).startsWith(root)
    } catch {
      return false
    }
  }).length
}

/** Listens on the ports that a script names. */
async function listen(code: string): Promise<{ close(): Promise<boolean> }> {
  let connected = false
  const ports = new Set(
    [...code.matchAll(/127\.0\.0\.1\D{1,4}(\d{2,5})/g)]
      .map(([, port]) => Number(port))
      .filter((port) => port > 1023 && port < 65_536),
  )
  const servers: Server[] = []
  for (const port of ports) {
    const server = createServer((socket) => {
      connected = true
      socket.destroy()
    })
    await new Promise<void>((resolve) => {
      server.once('error', () => resolve())
      server.listen(port, '127.0.0.1', () => resolve())
    })
    servers.push(server)
  }
  return {
    async close() {
      for (const server of servers) server.close()
      return connected
    },
  }
}
