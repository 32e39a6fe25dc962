import type { ChildProcess } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isWithin } from '../../overlay/index.js'
import { startProgram } from '../host/child.js'
import { createFile, makeTempDir, removeEmptyDir } from '../host/write.js'
import { closeOthers } from './close-others.js'
import { seccompFilter } from './seccomp.js'
import { writeOnly } from './write-only.js'

/**
 * A process that does nothing but hold a user and a mount namespace for a session's commands. In it a tmpfs has the
 * layers of the workspace's overlay; nobody else sees them, and they are gone with it. It ends when its input does, so
 * also when this process is killed, and takes the command under way with it: each line it reads is what kill(1) is to
 * kill at the end, an empty one for nothing.
 */

/** $1: an empty directory, $2: the workspace, $3: the size of the layers. */
const HOLD = `set -e
mount -t tmpfs -o "size=$3,mode=700" escrowfs "$1"
cd "$1"
last=
mkdir -p workspace staged written work empty homes own/tmp own/var/tmp own/dev/shm
echo '{}' > empty.json
: > empty.txt
chmod 1777 own/tmp own/var/tmp own/dev/shm
mount --bind "$2" workspace
mount -o remount,bind,ro workspace
mknod whiteout c 0 0
: > told
: > words
echo held
while read -r line; do last=$line; done
[ -z "$last" ] || kill -s KILL -- $last`

/** Places of a holder: as its namespace knows them, and as this process does. */
export interface HolderPlaces {
  /** The directory of the layers, in the namespace. */
  readonly scratch: string
  /** What is staged: a layer above the workspace. */
  readonly staged: string
  /** The workspace's own directory, below them all. */
  readonly workspace: string
  /** What commands have written: the layer above that. */
  readonly written: string
  /** A character device 0/0: linked where something is to be absent. */
  readonly whiteout: string
  readonly filter: string
  /** For a command in our own process group. */
  readonly sharedFilter: string
  /** Closes what a command must not inherit. */
  readonly closeOthers: string
  /** Keeps a command from writing files elsewhere. */
  readonly writeOnly: string
  /** What commands tell the session's owner. */
  readonly told: string
  /** What reviewers say to the agent of a command: it can only be read there. */
  readonly words: string
  /** Touched right before each mount: what has changed on disk since is younger. */
  readonly stamp: string
  /** The workspace as commands see it. */
  readonly merged: string
}

export class Holder {
  readonly #child: ChildProcess
  readonly pid: number
  readonly places: HolderPlaces
  #ended = false

  private constructor(child: ChildProcess, pid: number, scratch: string, root: string) {
    this.#child = child
    this.pid = pid
    // Where it stands, which no later mount and no link on the way can cover.
    const inside = (name: string) => `/proc/${pid}/cwd/${name}`
    this.places = {
      scratch,
      staged: inside('staged'),
      workspace: inside('workspace'),
      written: inside('written'),
      whiteout: inside('whiteout'),
      filter: inside('filter'),
      sharedFilter: inside('filter-shared'),
      closeOthers: inside('close-others'),
      writeOnly: inside('write-only'),
      told: inside('told'),
      words: inside('words'),
      stamp: inside('stamp'),
      merged: `/proc/${pid}/root${root}`,
    }
    child.once('exit', () => {
      this.#ended = true
      removeEmptyDir(scratch)
    })
  }

  /**
   * @param root the workspace, a physical path.
   * @param bytes what commands may write in all.
   * Rejects with an Error that has what the programs said.
   */
  static async open(root: string, bytes: number): Promise<Holder> {
    const scratch = makeTempDir(`${placeNextTo(root)}/escrow-layers-`)
    const args = ['--user', '--map-root-user', '--mount', '--', 'sh', '-c', HOLD, 'sh', scratch, root, String(bytes)]
    const child = startProgram('unshare', args, ['pipe', 'pipe', 'pipe'])
    try {
      await waitForLine(child, 'held')
    } catch (error) {
      removeEmptyDir(scratch)
      throw error
    }
    if (child.pid === undefined) throw new Error('unshare was started without a process id.')
    // It must not keep this process alive.
    child.unref()
    child.stdin?.on('error', () => undefined)
    for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream && 'unref' in stream) unref(stream)
    const holder = new Holder(child, child.pid, scratch, root)
    const { places } = holder
    createFile(places.filter, seccompFilter(false), 0o600, false)
    createFile(places.sharedFilter, seccompFilter(true), 0o600, false)
    createFile(places.closeOthers, closeOthers(), 0o700, false)
    createFile(places.writeOnly, writeOnly(), 0o755, false)
    return holder
  }

  get isAlive(): boolean {
    return !this.#ended
  }

  /** It kills these, too, where this process is killed: processes, and groups by their negative numbers. */
  endsWith(...processes: readonly (number | undefined)[]): void {
    if (!this.#ended) this.#child.stdin?.write(`${processes.filter((pid) => pid !== undefined).join(' ')}\n`)
  }

  /** Resolves when the namespace, and all that was in it, is gone. */
  async close(): Promise<void> {
    if (this.#ended) return
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.ref()
    this.#child.kill('SIGKILL')
    await gone
  }
}

/** Where the layers can lie: the workspace's mount would cover what is in it. */
export function placeNextTo(root: string): string {
  const places = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
  const place = places.find((path) => !isWithin(path, root))
  if (place === undefined) throw new Error(`No directory for temporary files is outside of ${root}: set TMPDIR to one.`)
  return place
}

function unref(stream: object): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
}

/** Waits for a line of output. Rejects with what was said instead. */
function waitForLine(child: ChildProcess, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let [out, error] = ['', '']
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk
      if (out.includes(`${line}\n`)) resolve()
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      error += chunk
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(error.trim() || 'The namespace could not be made.')))
  })
}
