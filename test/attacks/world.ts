import fs from 'node:fs'
import { dirname } from 'node:path'
import { tempDir } from '../support/facade.js'
import { needsTrust, trust } from '../support/trust.js'

/** The text that attacks write. It reveals a leak on the disk under any path. */
export const MARK = 'PWNED\n'

/** The text that no agent may read. */
const SECRET = 'TOP-SECRET\n'

const INTENTS = `active_intents:
  - { id: INT-001, name: Work, status: IN_PROGRESS, owned_scope: ["src/**", "!src/legacy/**"] }
  - { id: INT-002, name: Deep, status: IN_PROGRESS, owned_scope: ["src/deep/**"] }
  - { id: INT-003, name: Nothing, status: IN_PROGRESS, owned_scope: [] }
  - { id: INT-004, name: Done, status: COMPLETED, owned_scope: ["**"] }
`

const POLICY = `access:
  src/hidden: hidden
  src/ghost: hidden
  src/locked: read-only
  src/private: deny
protected: [src/frozen]
`

const FILES: Readonly<Record<string, string>> = {
  'ws/.git/config': '[core]\n',
  'ws/.git/hooks/pre-commit': '#!/bin/sh\n',
  'ws/.orchestration/active_intents.yaml': INTENTS,
  'ws/.orchestration/policy.yaml': POLICY,
  'ws/.vscode/settings.json': '{}\n',
  'ws/AGENTS.md': 'rules\n',
  'ws/package.json': '{}\n',
  'ws/lib/out.ts': 'out\n',
  'ws/lib/deep/y.ts': 'y\n',
  'ws/lib/hard.ts': 'hard\n',
  'ws/billing/invoice.ts': 'invoice\n',
  'ws/src2/near.ts': 'near\n',
  'ws/src/a.ts': 'a\n',
  'ws/src/b.ts': 'b\n',
  'ws/src/[id].tsx': 'id\n',
  'ws/src/deep/er/x.ts': 'x\n',
  'ws/src/deep/w.ts': 'w\n',
  'ws/src/legacy/old.ts': 'old\n',
  'ws/src/hidden/secret.ts': SECRET,
  'ws/src/locked/r.ts': 'r\n',
  'ws/src/private/p.ts': SECRET,
  'ws/src/frozen/f.ts': 'f\n',
  'ws/src/nested/.git/config': '[core]\n',
  'ws/src/nested/.vscode/tasks.json': '{}\n',
  'ws/src/nested/n.ts': 'n\n',
  'ws-evil/e.txt': 'evil\n',
  'sibling/s.txt': 'sibling\n',
  'sibling/hard.txt': 'hard\n',
  'sibling/sub/z.txt': 'z\n',
  'home/.bashrc': '# rc\n',
  'home/.ssh/id': SECRET,
}

/** Links by a person in `src`, by name. Most lead out of the scope. */
const LINKS: Readonly<Record<string, string>> = {
  'to-lib': '../lib',
  'to-lib-file': '../lib/out.ts',
  'to-sibling': '../../sibling',
  'to-sibling-file': '../../sibling/s.txt',
  'to-abs': 'OUTER/sibling',
  'to-home': 'OUTER/home',
  'to-root': '..',
  'to-git': '../.git',
  'to-orch': '../.orchestration',
  'to-new': '../lib/new.ts',
  'to-new-out': '../../sibling/new.txt',
  'to-locked': 'locked',
  'to-legacy': 'legacy',
  'to-deep': 'deep',
  'to-a': 'a.ts',
  'to-absent': 'fresh.ts',
  loop: 'loop',
  ping: 'pong',
  pong: 'ping',
  chain1: 'chain2',
  chain2: 'chain3',
  chain3: '../lib',
}

export interface World {
  /** The directory of the workspace and its siblings. */
  readonly outer: string
  readonly root: string
  /** Contents that a person wrote during an action, by path below `outer`. */
  readonly person: Map<string, string>
  dispose(): void
}

/** Edits a file of the workspace as a person does. */
export function edit({ root, person }: World, path: string, text: string): Promise<unknown> {
  fs.writeFileSync(`${root}/${path}`, text)
  if (needsTrust(path)) trust(root)
  person.set(`ws/${path}`, text)
  // An edit by another process is noticed only in a later turn of the event loop.
  return new Promise((next) => setImmediate(next))
}

function createFiles(outer: string): void {
  for (const [path, content] of Object.entries(FILES)) {
    fs.mkdirSync(`${outer}/${dirname(path)}`, { recursive: true })
    fs.writeFileSync(`${outer}/${path}`, content, { mode: 0o644 })
  }
  for (const [name, target] of Object.entries(LINKS))
    fs.symlinkSync(target.replace('OUTER', outer), `${outer}/ws/src/${name}`)
  fs.linkSync(`${outer}/ws/lib/hard.ts`, `${outer}/ws/src/hard.ts`)
  fs.linkSync(`${outer}/sibling/hard.txt`, `${outer}/ws/src/hard-out.ts`)
  fs.mkdirSync(`${outer}/ws/src/empty`)
  trust(`${outer}/ws`)
}

export function newWorld(): World {
  const { path: outer, dispose } = tempDir('escrowfs-table-')
  createFiles(outer)
  return { outer, root: `${outer}/ws`, person: new Map(), dispose }
}

/** The state of one path. */
export interface Entry {
  /** Mode, owner, time and content as one text. */
  readonly print: string
  readonly mode: number
  readonly nlink: number
}

export type TreeSnapshot = ReadonlyMap<string, Entry>

/** Working files that every session changes. */
const OURS =
  /^ws\/\.orchestration\/(sessions|tx|commits|ledger\.d|locks|\.gitignore$|agent_trace\.jsonl|intent_map\.md)/

/** Lists all paths below a directory. Node's recursive listing would follow links. */
function namesBelow(outer: string, dir: string): string[] {
  const at = Buffer.concat([Buffer.from(`${outer}/`), Buffer.from(dir, 'latin1')])
  return fs.readdirSync(at, { withFileTypes: true, encoding: 'latin1' }).flatMap((entry) => {
    const name = dir === '' ? entry.name : `${dir}/${entry.name}`
    if (OURS.test(name)) return []
    return entry.isDirectory() ? [name, ...namesBelow(outer, name)] : [name]
  })
}

/** Reads the tree on the disk, without our working files. Keys are paths in latin1, because names can have any bytes. */
export function takeSnapshot(outer: string): TreeSnapshot {
  const entries = new Map<string, Entry>()
  for (const name of namesBelow(outer, '')) {
    const at = Buffer.concat([Buffer.from(`${outer}/`), Buffer.from(name, 'latin1')])
    const stats = fs.lstatSync(at)
    const { mode, nlink, uid, gid } = stats
    const content = stats.isFile() ? fs.readFileSync(at, 'latin1') : stats.isSymbolicLink() ? fs.readlinkSync(at) : ''
    const time = stats.isFile() ? stats.mtimeMs : ''
    entries.set(name, {
      print: `${mode.toString(8)} ${uid}:${gid} ${time} ${content}`,
      mode,
      nlink: stats.isFile() ? nlink : 1,
    })
  }
  return entries
}

/** Lists the paths that differ. */
export function changedNames(before: TreeSnapshot, after: TreeSnapshot): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name)?.print !== after.get(name)?.print).sort()
}

/** Lists files in `.orchestration` that contain the mark although people and programs trust them. */
export function forgedFiles(root: string): string[] {
  const dir = `${root}/.orchestration`
  const names = fs.readdirSync(dir, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => {
    // The pack holds the staged contents.
    if (/^(tx|sessions\/[^/]+\/(pack|stage|edits))/.test(name) || !fs.lstatSync(`${dir}/${name}`).isFile()) return false
    return fs.readFileSync(`${dir}/${name}`, 'utf8').includes(MARK.trim())
  })
}
