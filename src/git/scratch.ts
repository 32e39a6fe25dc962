import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, type StagedChange } from '../../overlay/index.js'
import {
  createFile,
  ensureDir,
  ensurePrivateDir,
  makeSymlink,
  makeTempDir,
  removeName,
  removeTree,
} from '../os/write.js'

const PREFIX = 'git-'
const ABANDONED_MS = 60 * 60 * 1000

/** A directory in the state directory with an index, and with files that git reads as if they were in the working tree. */
export class Scratch {
  readonly dir: string
  readonly tree: string

  private constructor(dir: string) {
    this.dir = dir
    this.tree = join(dir, 'tree')
    ensureDir(this.tree)
  }

  /** Removes what killed processes left, an hour later. */
  static in(state: string): Scratch {
    ensurePrivateDir(state)
    for (const name of readdirSync(state)) if (name.startsWith(PREFIX)) removeAbandoned(join(state, name))
    return new Scratch(makeTempDir(join(state, PREFIX)))
  }

  /** The environment for calls that use the scratch index. */
  get env(): Readonly<Record<string, string>> {
    return { GIT_INDEX_FILE: join(this.dir, 'index') }
  }

  /** The environment for calls that also read the scratch files. */
  treeEnv(gitDir: string): Readonly<Record<string, string>> {
    return { ...this.env, GIT_DIR: gitDir, GIT_WORK_TREE: this.tree }
  }

  /** Writes the new content of a change. @param path relative to the repository's top */
  write(path: string, { after, content }: StagedChange): void {
    if (after === null) throw new Error(`${path} is deleted, so it has no content.`)
    const bytes = content()
    const name = join(this.tree, path)
    ensureDir(dirname(name))
    removeName(name)
    if (after.type === 'symlink') makeSymlink(Buffer.from(bytes).toString(), name)
    else createFile(name, bytes, after.mode & 0o100 ? 0o755 : 0o644, false)
  }

  /** Writes a file beside the tree. @returns its path */
  file(name: string, text: string | Uint8Array): string {
    const path = join(this.dir, name)
    removeName(path)
    createFile(path, text, 0o600, false)
    return path
  }

  remove(): void {
    removeTree(this.dir)
  }
}

function removeAbandoned(dir: string): void {
  try {
    if (Date.now() - statSync(dir).mtimeMs > ABANDONED_MS) removeTree(dir)
  } catch (error) {
    // Its owner has just removed it.
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
