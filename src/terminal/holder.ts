import type { ChildProcess } from 'node:child_process'
import { holdProcess, startProgram } from '../os/child.js'
import { createFile, makeTempDir, removeEmptyDir } from '../os/write.js'
import { sandboxPrograms } from './sandbox-programs.js'
import { scratchParent } from './scratch-places.js'

/**
 * A process that holds a user and a mount namespace for a session's commands. A tmpfs in it has the layers of the workspace's
 * overlay, which no other process sees. It exits at the end of its input, so also when this process is killed, and then kills the
 * running command and removes the directory: each line of input replaces the arguments for kill(1); an empty line means none.
 */

/** $1: an empty directory, $2: the workspace, $3: the size of the layers. */
const HOLD = `set -e
mount -t tmpfs -o "size=$3,mode=700" escrowfs "$1"
cd "$1"
last=
mkdir -p workspace staged written work empty homes git own/tmp own/var/tmp own/dev/shm
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
[ -z "$last" ] || kill -s KILL -- $last || :
cd /
umount -l "$1"
rmdir "$1"`

/** Paths of a holder. All but `scratch` are paths of this process. */
export interface HolderPlaces {
  /** The directory of the layers, in the namespace. */
  readonly scratch: string
  /** The layer of staged changes, above the workspace. */
  readonly staged: string
  /** The workspace's directory, the lowest layer. */
  readonly workspace: string
  /** The topmost layer, which commands write to. */
  readonly written: string
  /** A character device 0/0, hard-linked wherever a layer needs a whiteout. */
  readonly whiteout: string
  readonly filter: string
  /** The filter for a command in our own process group. */
  readonly sharedFilter: string
  /** The program that closes inherited descriptors. */
  readonly closeOthers: string
  /** The program that restricts the paths at which a command may open files for writing. */
  readonly writeOnly: string
  /** The denial spool. */
  readonly denials: string
  /** Reviewers' feedback, read-only to commands. */
  readonly feedback: string
  /** Touched right before each mount, to compare file times with. */
  readonly stamp: string
  /** The workspace as commands see it. */
  readonly merged: string
  /** The layer of a repository's directory outside the workspace. */
  readonly git: string
  /** The mounts beside the workspace, numbered. */
  readonly homes: string
}

export class Holder {
  readonly #child: ChildProcess
  readonly pid: number
  readonly places: HolderPlaces
  #ended = false

  private constructor(child: ChildProcess, pid: number, scratch: string, root: string) {
    this.#child = child
    this.pid = pid
    // By the process's working directory, which no later mount and no link can cover.
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
      denials: inside('told'),
      feedback: inside('words'),
      stamp: inside('stamp'),
      merged: `/proc/${pid}/root${root}`,
      git: inside('git'),
      homes: inside('homes'),
    }
    child.once('exit', () => {
      this.#ended = true
      removeEmptyDir(scratch)
    })
  }

  /**
   * @param root the workspace, a physical path.
   * @param bytes the limit of bytes that all commands together may write.
   * @throws Error with the programs' output.
   */
  static async open(root: string, bytes: number): Promise<Holder> {
    const programs = sandboxPrograms()
    const scratch = makeTempDir(`${scratchParent(root)}/escrow-layers-`)
    const args = ['--user', '--map-root-user', '--mount', '--', 'sh', '-c', HOLD, 'sh', scratch, root, String(bytes)]
    const child = await startHolding(args).catch((error: unknown) => {
      removeEmptyDir(scratch)
      throw error
    })
    if (child.pid === undefined) throw new Error('unshare could not be started.')
    // The holder must not keep this process alive.
    holdProcess(child, false)
    child.stdin?.on('error', () => undefined)
    const holder = new Holder(child, child.pid, scratch, root)
    const { places } = holder
    createFile(places.filter, programs.filter, 0o600, false)
    createFile(places.sharedFilter, programs.sharedFilter, 0o600, false)
    createFile(places.closeOthers, programs.closeOthers, 0o700, false)
    createFile(places.writeOnly, programs.writeOnly, 0o755, false)
    return holder
  }

  get isAlive(): boolean {
    return !this.#ended
  }

  /** Sets the processes that the holder kills when this process ends: process ids, and negated group ids. */
  killOnExit(...processes: readonly (number | undefined)[]): void {
    if (!this.#ended) this.#child.stdin?.write(`${processes.filter((pid) => pid !== undefined).join(' ')}\n`)
  }

  /** Resolves when the namespace and everything in it are gone. */
  async close(): Promise<void> {
    if (this.#ended) return
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.ref()
    this.#child.kill('SIGKILL')
    await gone
  }
}

async function startHolding(args: readonly string[]): Promise<ChildProcess> {
  const child = startProgram('unshare', args, ['pipe', 'pipe', 'pipe'])
  await waitForLine(child, 'held')
  return child
}

/** Waits for a line of output. @throws Error with the other output. */
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
    child.once('close', () =>
      reject(
        new Error(error.trim() || "The user namespace could not be created. 'escrow doctor' says what is missing."),
      ),
    )
  })
}
