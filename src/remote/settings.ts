import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import type { Identity } from '../hub/index.js'
import { readSmall } from '../os/read.js'
import { layoutAt, prepareState } from '../os/workspace-state.js'
import { removeName, replaceDurable } from '../os/write.js'
import { DECISION, HubClient } from './hub-client.js'

const REMOTE = z.object({ url: z.string(), token: z.string(), name: z.string() })
/** The connection of a workspace. `name` is that of the token, which the hub puts before the ids of sessions. */
export type Remote = z.infer<typeof REMOTE>

const LANDED = z.object({
  session: z.string(),
  branch: z.string(),
  commit: z.string(),
  changes: z.array(z.object({ key: z.string(), path: z.string() })),
})
/** Changes of a session that are on a branch of the repository, and maybe not yet on this machine's disk. */
export type Landed = z.infer<typeof LANDED>

const SEEN = z.object({
  url: z.string(),
  since: z.number(),
  sessions: z.array(z.string()),
  rejected: z.array(z.string()),
  waiting: z.array(DECISION).default([]),
  landed: z.array(LANDED).default([]),
  told: z.record(z.string(), z.string()).default({}),
  lands: z.string().optional(),
})
/**
 * The state of a workspace's sync: the last recorded decision of the hub, the hub's sessions, the keys of changes that
 * it rejected, decisions that wait for their bytes, its landings, the digest last reported as sent for each session,
 * and the branch where the hub lands approved changes.
 */
export type Seen = z.infer<typeof SEEN>

const SENT_LEDGER = z.object({
  url: z.string(),
  name: z.string(),
  stamp: z.string(),
  lines: z.number(),
  sha256: z.string(),
})
/** The ledger that a hub had whole: the stamp of its file, and what the hub answered. */
export type SentLedger = z.infer<typeof SENT_LEDGER>

/** Bytes of a file here. More than what is kept: decisions that wait have long reasons. */
const MAX_BYTES = 64 * 1024 * 1024
/** Landings that this machine remembers. */
const MAX_LANDED = 200
/** The characters of all of them, without the newest. The file is written after each decision. */
const MAX_LANDED_SIZE = 2 * 1024 * 1024

function pathOf(root: string, name: string): string {
  return join(layoutAt(realpathSync(root)).state, name)
}

function read<T>(root: string, name: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readSmall(pathOf(root, name), MAX_BYTES)))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function write(root: string, name: string, value: unknown): void {
  prepareState(layoutAt(realpathSync(root)))
  replaceDurable(pathOf(root, name), `${JSON.stringify(value)}\n`, 0o600)
}

/** @throws EscrowError `nothing_selected` if the workspace has no hub */
export function readRemote(root: string): Remote {
  const remote = read(root, 'remote.json', REMOTE)
  if (remote !== undefined) return remote
  throw new EscrowError('nothing_selected', 'This workspace has no hub.', {
    hint: "Add one with 'escrow remote add URL'.",
  })
}

/** Asks the hub whose token it is, and keeps both for this workspace. */
export async function addRemote(root: string, url: string, token: string): Promise<Identity> {
  const address = addressOf(url)
  const me = await new HubClient({ url: address, token }).me()
  if (me.role !== 'host')
    throw new EscrowError(
      'access_denied',
      `This token has the role ${me.role}. A machine where agents work gets one that cannot decide.`,
      {
        hint: "Make it with 'escrow hub token add NAME --role host'.",
      },
    )
  write(root, 'remote.json', { url: address, token, name: me.name } satisfies Remote)
  return me
}

export function removeRemote(root: string): void {
  readRemote(root)
  removeName(pathOf(root, 'remote.json'))
}

/**
 * The address of a hub. A token must not cross a network in the clear.
 * @throws EscrowError `unsupported` for any other address
 */
export function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url !== undefined && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return url.origin
  throw new EscrowError('unsupported', `'${text}' is not an address of a hub.`, {
    hint: 'Give an address with https://, or http://127.0.0.1:PORT for a hub on this machine.',
  })
}

export function readSeen(root: string, { url }: Remote): Seen {
  const seen = read(root, 'remote-seen.json', SEEN)
  return seen?.url === url ? seen : { url, since: 0, sessions: [], rejected: [], waiting: [], landed: [], told: {} }
}

/** The changes that the hub of a workspace has landed; none without a hub. */
export function readLandedOf(root: string): readonly Landed[] {
  return read(root, 'remote-seen.json', SEEN)?.landed ?? []
}

/** The branch where the hub of a workspace lands approved changes. Undefined without a hub, or if machines commit. */
export function landingBranchOf(root: string): string | undefined {
  return read(root, 'remote-seen.json', SEEN)?.lands
}

/** The newest landings, as many as this machine remembers. @param all oldest first */
export function newestLanded(all: readonly Landed[]): Landed[] {
  let size = 0
  const kept = all.slice(-MAX_LANDED).reverse()
  const end = kept.findIndex((landed, at) => {
    size += JSON.stringify(landed).length
    return at > 0 && size > MAX_LANDED_SIZE
  })
  return (end === -1 ? kept : kept.slice(0, end)).reverse()
}

export function writeSeen(root: string, seen: Seen): void {
  write(root, 'remote-seen.json', seen)
}

/** Undefined if this hub, by this name, was not seen to have all lines. */
export function readSentLedger(root: string, { url, name }: Remote): SentLedger | undefined {
  const sent = read(root, 'remote-ledger.json', SENT_LEDGER)
  return sent?.url === url && sent.name === name ? sent : undefined
}

export function writeSentLedger(root: string, sent: SentLedger): void {
  write(root, 'remote-ledger.json', sent)
}
