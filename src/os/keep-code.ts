import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensurePrivateDir, removeName, replaceDurable } from './write.js'

/** How many files of code are kept for a version of the command. Beyond it the oldest are removed, as those of earlier builds. */
const MOST = 12

/** Keeps compiled code in a file that only this person can read and write. */
export function keepCode(file: string, bytes: Uint8Array): void {
  try {
    const directory = dirname(file)
    ensurePrivateDir(directory)
    replaceDurable(file, bytes, 0o600)
    const modifiedAt = (name: string) => statSync(name).mtimeMs
    const files = readdirSync(directory).map((name) => join(directory, name))
    for (const old of files.sort((a, b) => modifiedAt(b) - modifiedAt(a)).slice(MOST)) removeName(old)
  } catch {
    // The next command compiles its code again.
  }
}
