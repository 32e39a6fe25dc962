import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { homedir } from 'node:os'
import { PROTECTION_NAMES, type Protection } from '../core/protection.js'
import { placeOfProgram, startProgram } from '../os/child.js'
import { createFile, makeDir, makeTempDir, removeTree } from '../os/write.js'
import { type CommandEnd, PROCESSES } from './command-io.js'
import type { Place } from './command-place.js'
import type { Containment } from './containment.js'
import { ESCAPED, type EscapeAttempt, type EscapeTargets, escapeAttempts } from './escape-corpus.js'
import { scratchParent } from './scratch-places.js'
import { ownArchitecture } from './system-calls.js'

/** The result of an attempt to get out of containment. */
export interface EscapeResult {
  readonly name: string
  readonly tries: string
  readonly protection: Protection
  /** `not tried`: the machine lacks a program or file that the attempt needs. */
  readonly outcome: 'held' | 'did not hold' | 'not tried'
  /** Whether the provider promises this protection. */
  readonly isPromised: boolean
  readonly detail?: string
}

/** The content of a file outside, and of one that is closed to commands. */
const [UNTOUCHED, CLOSED] = ['a person wrote this\n', 'a closed word']
/** Milliseconds for one attempt. */
const ATTEMPT_MS = 60_000

/**
 * Runs every attempt of the corpus in a provider, against a directory, servers and a process made for it.
 * @throws Error if the provider cannot be set up.
 */
export async function runEscapes(containment: Containment): Promise<EscapeResult[]> {
  const base = makeTempDir(`${probingPlace()}/.escrow-probe-`)
  const scene = await Scene.open(base)
  let place: Place | undefined
  try {
    place = await containment.open({ root: `${base}/workspace` })
    const results: EscapeResult[] = []
    for (const attempt of escapeAttempts(scene.targets, ownArchitecture()))
      results.push({
        ...(await tryOne(scene, place, attempt)),
        isPromised: containment.keeps.includes(attempt.protection),
      })
    return results
  } finally {
    await place?.close()
    scene.close()
    removeTree(base)
  }
}

/** Protections that a provider promises and that no attempt has tested. */
export function untried(containment: Pick<Containment, 'keeps'>, results: readonly EscapeResult[]): Protection[] {
  const tried = new Set(results.filter(({ outcome }) => outcome !== 'not tried').map(({ protection }) => protection))
  return PROTECTION_NAMES.filter((name) => containment.keeps.includes(name) && !tried.has(name))
}

/**
 * In the home directory if there is one. In `/tmp` every attempt would fail, because each command has its own `/tmp`.
 */
function probingPlace(): string {
  const home = homedir()
  return existsSync(home) && home !== '/' ? home : scratchParent('/nowhere')
}

async function tryOne(
  scene: Scene,
  place: Place,
  { name, tries, protection, script, needs, limits, hosts }: EscapeAttempt,
): Promise<Omit<EscapeResult, 'isPromised'>> {
  const about = { name, tries, protection }
  if (needs !== undefined && !existsSync(placeOfProgram(needs)))
    return { ...about, outcome: 'not tried', detail: `${needs} is not installed` }
  const end = await place.run({
    args: ['/bin/sh', '-c', script],
    cwd: `${scene.base}/workspace`,
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: '/tmp' },
    network: hosts ?? false,
    processes: limits?.processes ?? PROCESSES,
    memory: limits?.memory,
    timeout: ATTEMPT_MS,
    visibility: { hidden: [{ path: `${scene.outside}/closed`, isDirectory: false }], shown: [] },
    readOnlyNames: [],
  })
  const detail = scene.harm(end) ?? limitProblem(end, limits)
  return detail === undefined ? { ...about, outcome: 'held' } : { ...about, outcome: 'did not hold', detail }
}

/** Returns how the command exceeded its limit; undefined if it was ended for that, or could not continue. */
function limitProblem(end: CommandEnd, limits: EscapeAttempt['limits']): string | undefined {
  if (!end.began) return 'the command did not start'
  if (limits === undefined || end.ended === 'processes' || end.ended === 'memory') return undefined
  return /fork|allocat|memory/i.test(end.stderr) ? undefined : 'the command went on past its limit'
}

/** The targets of the attempts: a directory, two servers and a process. */
class Scene {
  readonly outside: string
  readonly #victim = startProgram('sleep', ['601.25'], ['ignore', 'ignore', 'ignore'])
  #isVictimGone = false
  /** Something has reached a server of this machine. */
  #isReached = false

  private constructor(
    readonly base: string,
    readonly targets: EscapeTargets,
    private readonly servers: readonly Server[],
    private readonly datagrams: Socket,
  ) {
    const markReached = () => {
      this.#isReached = true
    }
    for (const server of servers) server.on('connection', markReached)
    datagrams.on('message', markReached)
    this.outside = `${base}/outside`
    this.#victim.once('exit', () => {
      this.#isVictimGone = true
    })
    Object.assign(targets, { victim: this.#victim.pid })
  }

  static async open(base: string): Promise<Scene> {
    const outside = `${base}/outside`
    for (const dir of ['outside', 'workspace', 'workspace/.orchestration']) makeDir(`${base}/${dir}`)
    createFile(`${outside}/file`, UNTOUCHED, 0o666, false)
    createFile(`${outside}/closed`, CLOSED, 0o644, false)
    const abstract = `escrow-probe-${process.pid}`
    const socket = `${outside}/socket`
    const servers = await Promise.all([listen(0), listen(socket), listen(`\0${abstract}`)])
    const datagrams = createSocket('udp4')
    datagrams.bind(0, '127.0.0.1')
    await once(datagrams, 'listening')
    const address = servers[0]?.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const targets = {
      outside,
      port,
      datagrams: datagrams.address().port,
      socket,
      abstract,
      victim: 0,
      sleeps: '601.25',
      left: `119.${process.pid}`,
      node: process.execPath,
    }
    return new Scene(base, targets, servers, datagrams)
  }

  /** The changes of a command to the targets, or the parts that it could read. */
  harm({ stdout, stderr }: CommandEnd): string | undefined {
    const output = `${stdout}${stderr}`
    if (output.includes(ESCAPED)) return 'it got through'
    if (this.#isReached) {
      this.#isReached = false
      return 'it reached a server of this machine'
    }
    if (output.includes(CLOSED)) return 'it read the closed file'
    if (this.#isVictimGone) return 'it ended another process'
    const file = readText(`${this.outside}/file`)
    if (file !== UNTOUCHED || existsSync(`${this.outside}/new`)) return 'a file outside has changed'
    if (processesOf(`sleep\0${this.targets.left}\0`).length > 0) return 'a process is left'
    return undefined
  }

  close(): void {
    for (const server of this.servers) server.close()
    this.datagrams.close()
    this.#victim.kill('SIGKILL')
    for (const pid of processesOf(`sleep\0${this.targets.left}\0`)) process.kill(pid, 'SIGKILL')
  }
}

async function listen(at: number | string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (typeof at === 'number') server.listen(at, '127.0.0.1', resolve)
    else server.listen(at, resolve)
  })
  return server
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Processes with exactly this command line. */
function processesOf(commandLine: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readText(`/proc/${name}/cmdline`) === commandLine)
    .map(Number)
}
