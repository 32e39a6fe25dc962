import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { isObject } from '../../src/core/is-object.js'
import { declare, govern } from './governed.js'
import { PACKAGE, TASKS } from './tasks.js'
import { differences, treeOf, writeTree } from './tree.js'

/** One piece of benign work, with what came of it. */
export interface Preserved {
  readonly name: string
  readonly questions: number
  /** Paths that differ from the work without escrow; empty if it was preserved. */
  readonly lost: readonly string[]
  readonly why: readonly string[]
}

/** Does each task plainly and governed, on copies of one package, and compares the trees. */
export async function* tasksPreserved(base: string, policy: string): AsyncGenerator<Preserved> {
  for (const [at, line] of TASKS.entries()) {
    const [plain, governed] = [`${base}/plain-${at}`, `${base}/governed-${at}`]
    for (const root of [plain, governed]) writeTree(root, PACKAGE)
    declare(governed, policy)
    spawnSync('/bin/sh', ['-c', line], { cwd: plain, stdio: 'ignore', timeout: 60_000 })
    const { questions, refused } = await govern(governed, true, (_, run) => run(line))
    yield { name: line, questions, lost: compare(plain, governed), why: refused }
    for (const root of [plain, governed]) fs.rmSync(root, { recursive: true, force: true })
  }
}

/** An agent's own git is private to its session. */
const PRIVATE = ['.orchestration', '.git']

function compare(plain: string, governed: string): string[] {
  return differences(treeOf(plain, PRIVATE), treeOf(governed, PRIVATE))
}

interface Edit {
  readonly path: string
  readonly before?: string
  readonly after: string
}

/** The files that a session's edits show, and its edits. Texts of the transcripts were cut, so whole files are not known. */
export interface EditSession {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly edits: readonly Edit[]
}

export function editSessions(transcripts: string): EditSession[] {
  const found = new Map<string, Edit[]>()
  for (const line of transcripts.split('\n')) {
    if (!line.includes('"tool_use"')) continue
    const { sessionId, cwd, message } = JSON.parse(line) as {
      sessionId: string
      cwd: string
      message: { content: unknown[] }
    }
    const edits = message.content.flatMap((block) => editOf(block, cwd))
    found.set(sessionId, [...(found.get(sessionId) ?? []), ...edits])
  }
  return [...found].flatMap(([name, edits]) => (edits.length === 0 ? [] : [{ name, files: filesOf(edits), edits }]))
}

function editOf(block: unknown, cwd: string): Edit[] {
  if (!isObject(block) || !isObject(block.input)) return []
  const { file_path: file, old_string: before, new_string: after, content } = block.input
  // What lies outside of the session's directory would be refused, and is counted by the backtest.
  if (typeof file !== 'string' || !file.startsWith(`${cwd.split('/').slice(0, 2).join('/')}/`)) return []
  const path = file.slice(2)
  if (block.name === 'Write' && typeof content === 'string') return [{ path, after: content }]
  if (block.name !== 'Edit' || typeof before !== 'string' || typeof after !== 'string') return []
  return [{ path, before, after }]
}

/** The files before the session: the texts that its edits replaced, unless an earlier edit had written them. */
function filesOf(edits: readonly Edit[]): Record<string, string> {
  const [files, now] = [new Map<string, string>(), new Map<string, string>()]
  for (const { path, before, after } of edits) {
    const text = now.get(path) ?? ''
    if (before === undefined) now.set(path, after)
    else if (text.includes(before))
      now.set(
        path,
        text.replace(before, () => after),
      )
    else {
      files.set(path, `${files.get(path) ?? ''}${before}\n`)
      now.set(path, `${text}${after}\n`)
    }
  }
  return Object.fromEntries(files)
}

/** Makes the edits of each session plainly and governed, on repositories rebuilt from them, and compares the trees. */
export async function* editsPreserved(
  base: string,
  policy: string,
  sessions: readonly EditSession[],
): AsyncGenerator<Preserved> {
  for (const [at, { name, files, edits }] of sessions.entries()) {
    const [plain, governed] = [`${base}/plain-${at}`, `${base}/governed-${at}`]
    for (const root of [plain, governed]) writeTree(root, files)
    declare(governed, policy)
    apply(fs, plain, edits)
    const { questions, refused } = await govern(governed, true, async (ours) => apply(ours, governed, edits))
    yield { name, questions, lost: compare(plain, governed), why: refused }
    for (const root of [plain, governed]) fs.rmSync(root, { recursive: true, force: true })
  }
}

function apply(
  node: Pick<typeof fs, 'mkdirSync' | 'readFileSync' | 'writeFileSync' | 'existsSync'>,
  root: string,
  edits: readonly Edit[],
): void {
  for (const { path, before, after } of edits) {
    const file = `${root}/${path}`
    const text = node.existsSync(file) ? node.readFileSync(file, 'utf8') : ''
    node.mkdirSync(dirname(file), { recursive: true })
    node.writeFileSync(file, before === undefined ? after : text.replace(before, () => after))
  }
}
