import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Digest, digest } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { readWhole } from '../os/read.js'
import { ensurePrivateDir, replaceDurable } from '../os/write.js'

/** A store of the contents that reviewers wrote into a session, and of those that they replaced, by digest. */
export interface Contents {
  /** Stores a content. It is on disk when this returns. */
  keep(content: Uint8Array): Digest
  /** Throws `ledger_corrupt` if the content is missing or differs. */
  read(key: Digest): Uint8Array
}

/** @param directory `sessions/<id>/edits`; need not exist */
export function openContents(directory: string): Contents {
  const fileOf = (key: Digest) => join(directory, key.slice('sha256:'.length))
  return {
    keep(content) {
      const key = digest(content)
      if (existsSync(fileOf(key))) return key
      ensurePrivateDir(directory)
      replaceDurable(fileOf(key), content, 0o600)
      return key
    },
    read(key) {
      const content = readIfThere(fileOf(key))
      if (content !== undefined && digest(content) === key) return content
      const message = `${fileOf(key)} does not contain the reviewer's text, so this session cannot be reviewed.`
      throw new EscrowError('ledger_corrupt', message, { hint: 'Restore the file, or move the review log away.' })
    },
  }
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readWhole(path)
  } catch {
    return undefined
  }
}
