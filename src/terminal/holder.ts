import type { ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { startProgram } from '../host/child.js'
import { makeTempDir, removeEmptyDir } from '../host/write.js'

/**
 * A process that does nothing but hold a user and a mount namespace for a session's commands. In it a tmpfs has the
 * layers of the workspace's overlay; nobody else sees them, and they are gone with it. It ends when its input does, so
 * also when this process is killed.
 */

/** $1: an empty directory, $2: the workspace, $3: the size of the layers. */
const HOLD = `set -e
mount -t tmpfs -o "size=$3,mode=700" escrowfs "$1"
cd "$1"
mkdir workspace staged written work tmp
chmod 1777 tmp
mount --bind "$2" workspace
mount -o remount,bind,ro workspace
mknod whiteout c 0 0
echo held
exec cat`

/** Places of a holder: as its namespace knows them, and as this process does. */
export interface HolderPlaces {
  /** The directory of the layers, in the namespace. */
  readonly scratch: string
  /** What is staged: a layer above the workspace. */
  readonly staged: string
  /** What commands have written: the layer above that. */
  readonly written: string
  /** A character device 0/0: linked where something is to be absent. */
  readonly whiteout: string
  readonly filter: string
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
    const view = `/proc/${pid}/root`
    const inside = (name: string) => `${view}${scratch}/${name}`
    this.places = {
      scratch,
      staged: inside('staged'),
      written: inside('written'),
      whiteout: inside('whiteout'),
      filter: inside('filter'),
      stamp: inside('stamp'),
      merged: `${view}${root}`,
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
    const scratch = makeTempDir(`${tmpdir()}/escrow-layers-`)
    const args = ['--user', '--map-root-user', '--mount', '--', 'sh', '-c', HOLD, 'sh', scratch, root, String(bytes)]
    const child = startProgram('unshare', args, ['pipe', 'pipe', 'pipe'])
    try {
      await said(child, 'held')
    } catch (error) {
      removeEmptyDir(scratch)
      throw error
    }
    if (child.pid === undefined) throw new Error('unshare was started without a process id.')
    // It must not keep this process alive.
    child.unref()
    for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream && 'unref' in stream) unref(stream)
    return new Holder(child, child.pid, scratch, root)
  }

  get isAlive(): boolean {
    return !this.#ended
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

function unref(stream: object): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
}

/** Waits for a line of output. Rejects with what was said instead. */
function said(child: ChildProcess, line: string): Promise<void> {
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
