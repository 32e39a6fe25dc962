import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { runForPerson, SYSTEM_DIRECTORIES } from '../../os/child.js'

/** The facts of a machine that a repair depends on, and the way to run a command on it. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly uid: number
  /** The release of the kernel, such as `6.8.0-45-generic`. */
  readonly kernel: string
  /** The text of a file, without white space at its ends; undefined if it cannot be read. */
  read(path: string): string | undefined
  /** The path of a program of the system; undefined if it is not installed. */
  find(program: string): string | undefined
  exists(path: string): boolean
  /** The names in a directory; none if it cannot be read. */
  names(directory: string): readonly string[]
  /** Runs a program by its path, at the person's terminal. Resolves with its exit code; null if there is none. */
  run(command: readonly string[]): Promise<number | null>
}

/**
 * This machine. Only programs of the system are found, whatever `PATH` says.
 * @param root a directory that has the files of a machine, in place of `/`
 */
export function thisMachine(root = '', facts: Partial<Pick<Machine, 'uid' | 'kernel' | 'platform'>> = {}): Machine {
  const directories = SYSTEM_DIRECTORIES.map((each) => `${root}${each}`)
  return {
    platform: facts.platform ?? process.platform,
    uid: facts.uid ?? process.getuid?.() ?? 0,
    kernel: facts.kernel ?? release(),
    read: (path) => attempt(() => readFileSync(`${root}${path}`, 'utf8').trim()),
    names: (path) => attempt(() => readdirSync(`${root}${path}`)) ?? [],
    find: (program) => directories.map((each) => `${each}/${program}`).find((path) => existsSync(path)),
    exists: (path) => existsSync(`${root}${path}`),
    run: (command) => runForPerson(command),
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
