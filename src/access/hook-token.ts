import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sha256hex } from '../../overlay/index.js'
import { newToken } from '../os/loopback.js'
import { personalState } from '../os/personal-state.js'
import { readSmall } from '../os/read.js'
import { createDurable, ensurePrivateDir, publish, removeName } from '../os/write.js'
import { physicalRoot } from './workspace-root.js'

/** Of one token, in base64url. */
const SHAPE = /^[\w-]{43}$/

/**
 * The token by which a workspace's clients ask a served hook. It is made once and lies outside of the workspace, so that settings which
 * name it outlive the server. Who has it can have calls judged, and nothing else: it is no reviewer's.
 */
export function hookToken(root: string): string {
  const dir = join(personalState(), 'hooks')
  const file = join(dir, `${sha256hex(physicalRoot(root)).slice(0, 32)}.token`)
  if (!existsSync(file)) {
    ensurePrivateDir(dir)
    const token = newToken()
    const card = `${file}.${token.slice(0, 8)}`
    createDurable(card, token)
    publish(card, file)
    removeName(card)
  }
  const token = readSmall(file, 64)
  if (!SHAPE.test(token)) throw new Error(`${file} contains no token. Remove the file; escrow then creates a new one.`)
  return token
}
