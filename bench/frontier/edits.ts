import fs from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readTranscripts } from '../../examples/demo/transcript.js'
import { isObject } from '../../src/core/is-object.js'
import { openWorkspace } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { acceptFiles, compareFiles } from '../../src/trust/index.js'
import { INTENTS } from './order.js'
import type { Preserved } from './preserved.js'
import { differences, treeOf, writeTree } from './tree.js'

interface Edit {
  readonly path: string
  readonly before?: string
  readonly after: string
}

/** The files that a session's edits show, and its edits. */
export interface EditSession {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly edits: readonly Edit[]
}

/** The sessions of transcripts that edit files. The transcripts' texts were shortened, so whole files are unknown. */
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
  // An edit outside of the session's directory would be refused, and is counted by the backtest.
  if (typeof file !== 'string' || !file.startsWith(`${cwd.split('/').slice(0, 2).join('/')}/`)) return []
  const path = file.slice(2)
  if (block.name === 'Write' && typeof content === 'string') return [{ path, after: content }]
  if (block.name !== 'Edit' || typeof before !== 'string' || typeof after !== 'string') return []
  return [{ path, before, after }]
}

/** The files before the session: the texts that its edits replaced, unless an earlier edit wrote them. */
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

/**
 * The edits of the demo's two agents that it expects to succeed, on the source of zod, which is the demo's code base. A
 * person's concurrent edits exist from the start.
 */
export function demoSessions(directory: string): EditSession[] {
  const source = dirname(createRequire(import.meta.url).resolve('zod/package.json'))
  const steps = readTranscripts(directory).flat()
  const changes = steps.flatMap((step) => ('person' in step && step.person === 'edit-on-disk' ? [step] : []))
  const before = (path: string) =>
    changes
      .filter((change) => change.path === path)
      .reduce(
        (text, { replace: [from, to] }) => text.replace(from, () => to),
        fs.readFileSync(join(source, path), 'utf8'),
      )
  const edits = new Map<string, Edit[]>()
  for (const step of steps) {
    if (!('agent' in step) || step.expect.outcome !== 'ok') continue
    const edit = rooEdit(step.arguments)
    if (edit !== undefined) edits.set(step.agent, [...(edits.get(step.agent) ?? []), edit])
  }
  return [...edits].map(([name, own]) => {
    const known = [...new Set(own.map(({ path }) => path))].filter((path) => fs.existsSync(join(source, path)))
    return {
      name: `the demo's ${name}`,
      files: Object.fromEntries(known.map((path) => [path, before(path)])),
      edits: own,
    }
  })
}

const SEARCH = /^<<<<<<< SEARCH\n(?::start_line:\d+\n-------\n)?([\s\S]*?)\n=======\n([\s\S]*?)\n>>>>>>> REPLACE$/

/** An edit by one of Roo's tools; undefined for its patches of many files. */
function rooEdit(input: Readonly<Record<string, unknown>>): Edit | undefined {
  const { path, file_path: file = path, old_string: old, new_string: text, content, diff } = input
  if (typeof file !== 'string') return undefined
  const [, before = old, after = text ?? content] = typeof diff === 'string' ? (SEARCH.exec(diff) ?? []) : []
  if (typeof after !== 'string') return undefined
  return typeof before === 'string' && before !== '' ? { path: file, before, after } : { path: file, after }
}

/** Applies the edits of each session directly and in a governed session, and compares the trees. */
export async function* editsPreserved(
  base: string,
  policy: string,
  sessions: readonly EditSession[],
): AsyncGenerator<Preserved> {
  for (const [at, { name, files, edits }] of sessions.entries()) {
    const [plain, governed] = [`${base}/plain-${at}`, `${base}/governed-${at}`]
    for (const root of [plain, governed]) writeTree(root, files)
    apply(fs, plain, edits)
    const { questions, why } = await govern(governed, policy, edits)
    const lost = differences(treeOf(plain), treeOf(governed))
    yield { name, questions, lost, why }
    for (const root of [plain, governed]) fs.rmSync(root, { recursive: true, force: true })
  }
}

/** Applies the edits in a session whose questions a person allows, and whose changes a person commits. */
async function govern(
  root: string,
  policy: string,
  edits: readonly Edit[],
): Promise<Pick<Preserved, 'questions' | 'why'>> {
  writeTree(root, { '.orchestration/active_intents.yaml': INTENTS, '.orchestration/policy.yaml': policy })
  const layout = layoutAt(fs.realpathSync(root))
  acceptFiles(layout, compareFiles(layout).digest, { name: 'Bench' })
  let questions = 0
  const approver = async () => {
    questions += 1
    return { answer: 'allow' as const }
  }
  const workspace = await openWorkspace(root, { durability: 'process', approver })
  try {
    const session = await workspace.session({ id: 'frontier', agent: { tool: 'bench' } })
    await session.selectIntent('INT-001')
    const why = attempt(() => apply(session.fs, root, edits))
    await session.flush()
    const review = await workspace.review('frontier')
    await review.approve(undefined, { name: 'Ada' })
    await review.commit()
    return { questions, why }
  } finally {
    await workspace.close()
  }
}

/** A refused edit ends the session's work. */
function attempt(work: () => void): string[] {
  try {
    work()
    return []
  } catch (error) {
    return [String(error)]
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
