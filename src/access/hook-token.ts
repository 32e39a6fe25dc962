import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sha256hex } from '../../overlay/index.js'
import { newToken } from '../os/loopback.js'
import { personalState } from '../os/personal-state.js'
import { readSmall } from '../os/read.js'
import { createDurable, ensurePrivateDir, publish, removeName } from '../os/write.js'
import { physicalRoot } from './workspace-root.js'

/** A token in base64url. */
const TOKEN = /^[\w-]{43}$/

/**
 * The token that a workspace's clients send to a hook server. It is created once, outside of the workspace, so settings that
 * contain it stay valid when the server restarts. It lets its holder have calls judged, and permits no review.
 */
export function hookToken(root: string): string {
  const dir = join(personalState(), 'hooks')
  const file = join(dir, `${sha256hex(physicalRoot(root)).slice(0, 32)}.token`)
  if (!existsSync(file)) {
    ensurePrivateDir(dir)
    const token = newToken()
    const draft = `${file}.${token.slice(0, 8)}`
    createDurable(draft, token)
    publish(draft, file)
    removeName(draft)
  }
  const token = readSmall(file, 64)
  if (!TOKEN.test(token)) throw new Error(`${file} contains no token. Remove the file; escrow then creates a new one.`)
  return token
}
