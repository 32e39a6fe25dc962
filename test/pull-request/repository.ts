import { createHash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { initWorkspace, openWorkspace, type Session } from '../../src/index.js'
import { checkPullRequest, type PullRequestOptions, type PullRequestReport } from '../../src/pull-request/check.js'
import { makeSigningKey } from '../../src/surface/index.js'
import { git } from '../support/git.js'
import { needsTrust, trust } from '../support/trust.js'

export const LEDGER = '.orchestration/agent_trace.jsonl'

const INTENTS = `active_intents:
  - id: INT-001
    name: Prices
    owned_scope: ["src/**"]
`

/** A git repository with the base branch `main` and a checked-out branch `work` for a pull request. */
export interface Repository {
  readonly root: string
  git(...args: string[]): string
  write(path: string, text: string): void
  read(path: string): string
  /** Lets an agent write and a person approve everything, then commits to git, by default with the trailer. */
  agent(work: (session: Session) => unknown, trailer?: 'trailer' | 'none'): Promise<void>
  commit(message?: string): void
  ledger(): string[]
  writeLedger(lines: readonly string[]): void
}

const templates = new Map<string, Promise<string>>()

/** Created once and copied, because creating it takes a second. */
export async function repository(): Promise<Repository> {
  const template = templates.get('base') ?? newRepository()
  templates.set('base', template)
  return copyOf(await template)
}

/** A pull request with approved work of an agent and work of a person. */
export async function createHonestPullRequest(): Promise<Repository> {
  const template = templates.get('honest') ?? createPullRequest()
  templates.set('honest', template)
  return copyOf(await template)
}

/** Call this after the tests of a file. */
export async function removeTemplates(): Promise<void> {
  for (const template of templates.values()) rmSync(await template, { recursive: true, force: true })
  templates.clear()
}

async function createPullRequest(): Promise<string> {
  const root = await newRepository()
  const pr = repositoryAt(root)
  await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'one\nagent 2\nagent 3\n'))
  append(root, 'src/a.ts', 'by hand\n')
  pr.write('docs/x.md', 'by hand\n')
  pr.commit()
  return root
}

/** Creates a copy that is removed after the test. */
export function copyOf(template: string): Repository {
  const root = newDirectory()
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  cpSync(template, root, { recursive: true })
  trust(root)
  return repositoryAt(root)
}

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'escrowfs-pr-')))
}

/** @param prepare adds files to the base */
export async function newRepository(prepare: (root: string) => void = () => {}): Promise<string> {
  const root = newDirectory()
  const repository = repositoryAt(root)
  repository.git('init', '-q', '-b', 'main')
  await initWorkspace(root)
  repository.write('.orchestration/active_intents.yaml', INTENTS)
  repository.write('src/a.ts', 'one\ntwo\n')
  prepare(root)
  repository.commit('base')
  await repository.agent(({ fs }) => fs.writeFileSync('src/old.ts', 'old\n'))
  repository.git('checkout', '-q', '-b', 'work')
  return root
}

export function repositoryAt(root: string): Repository {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    if (needsTrust(path)) trust(root)
  }
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const run = (...args: string[]) => git(root, ...args)
  const commit = (message = 'work') => {
    run('add', '-A')
    run('commit', '-q', '--allow-empty', '-m', message)
  }
  return {
    ...{ root, write, read, commit, git: run },
    agent: async (work, trailer = 'trailer') => {
      const head = await approvedWork(root, work)
      commit(trailer === 'trailer' ? `agent's work\n\nTrace-Head: ${head}` : "agent's work")
    },
    ledger: () => read(LEDGER).trimEnd().split('\n'),
    writeLedger: (lines) => write(LEDGER, lines.map((line) => `${line}\n`).join('')),
  }
}

/** @returns the ledger's head */
async function approvedWork(root: string, work: (session: Session) => unknown): Promise<string> {
  const workspace = await openWorkspace(root)
  try {
    const id = `agent-${(await workspace.sessions()).length}`
    const session = await workspace.session({ id, agent: { tool: 'tester', model: 'm-1' } })
    await session.selectIntent('INT-001')
    await work(session)
    const review = await workspace.review(id)
    await review.approve(undefined, { name: 'Ada' })
    await review.commit()
    await session.close()
    const head = await workspace.ledger.head()
    return `${head?.seq}:${head?.hash}`
  } finally {
    await workspace.close()
  }
}

/** Checks the pull request of a repository, by default without keys. */
export function check(pr: Repository, more: Partial<PullRequestOptions> = {}): Promise<PullRequestReport> {
  const request = { cwd: pr.root, base: 'main', head: 'HEAD', workspace: '.', requireTrailers: false, openWorkspace }
  return checkPullRequest({ ...request, ...more })
}

/** A repository whose base has a key in `keys`, and whose ledger is signed by it. @param work changes it while the key signs */
export async function newSignedRepository(work: (pr: Repository) => Promise<void>): Promise<string> {
  const state = mkdtempSync(join(tmpdir(), 'escrowfs-state-'))
  vi.stubEnv('XDG_STATE_HOME', state)
  try {
    const { file } = makeSigningKey()
    const root = await newRepository((at) => {
      mkdirSync(join(at, 'keys'))
      copyFileSync(join(file, '..', 'own.pub.pem'), join(at, 'keys', 'ada.pub.pem'))
    })
    await work(repositoryAt(root))
    return root
  } finally {
    vi.unstubAllEnvs()
    rmSync(state, { recursive: true, force: true })
  }
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Changes a line of the ledger and recomputes the chain after it, as a forger who knows the format would. */
export function changeAndRechain(
  lines: readonly string[],
  change: (record: Record<string, unknown>, at: number) => void,
): string[] {
  const created: string[] = []
  for (const [at, line] of lines.entries()) {
    const record = JSON.parse(line)
    change(record, at)
    record.metadata['dev.escrowfs'].prev = created.length === 0 ? null : sha256(created.at(-1) ?? '')
    created.push(JSON.stringify(record))
  }
  return created
}

/** A ledger whose last verdict has other fields, with a valid chain. */
export function withLastVerdict(lines: readonly string[], fields: object): string[] {
  const at = lines.findLastIndex((line) => line.includes('"type":"verdict"'))
  return changeAndRechain(lines, (record, n) => {
    if (n === at) Object.assign(Object(record.metadata)['dev.escrowfs'], fields)
  })
}

export function append(root: string, path: string, text: string): void {
  appendFileSync(join(root, path), text)
}
