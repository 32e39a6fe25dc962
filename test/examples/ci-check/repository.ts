import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { initWorkspace, openWorkspace, type Session } from '../../../src/index.js'
import { git } from '../../support/git.js'

export const LEDGER = '.orchestration/agent_trace.jsonl'

const INTENTS = `active_intents:
  - id: INT-001
    name: Prices
    owned_scope: ["src/**"]
`

/** A git repository with a base branch `main`, and `work` checked out, on which a pull request grows. */
export interface Repository {
  readonly root: string
  git(...args: string[]): string
  write(path: string, text: string): void
  read(path: string): string
  /** Lets an agent work and a person approve all of it; commits both to git, with the trailer unless told otherwise. */
  agent(work: (session: Session) => unknown, trailer?: 'trailer' | 'none'): Promise<string>
  commit(message?: string): void
  ledger(): string[]
  writeLedger(lines: readonly string[]): void
}

export async function repository(prepare: (root: string) => void = () => {}): Promise<Repository> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'escrowfs-pr-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const run = (...args: string[]) => git(root, ...args)
  const commit = (message = 'work') => {
    run('add', '-A')
    run('commit', '-q', '--allow-empty', '-m', message)
  }
  run('init', '-q', '-b', 'main')
  await initWorkspace(root)
  write('.orchestration/active_intents.yaml', INTENTS)
  write('src/a.ts', 'one\ntwo\n')
  prepare(root)
  commit('base')
  let sessions = 0
  const agent: Repository['agent'] = async (work, trailer = 'trailer') => {
    const workspace = await openWorkspace(root)
    try {
      const id = `agent-${++sessions}`
      const session = await workspace.session({ id, agent: { tool: 'tester', model: 'm-1' } })
      await session.selectIntent('INT-001')
      await work(session)
      const review = await workspace.review(id)
      await review.approve(undefined, { name: 'Ada' })
      await review.commit()
      await session.close()
      const head = await workspace.ledger.head()
      const line = `${head?.seq}:${head?.hash}`
      commit(trailer === 'trailer' ? `agent's work\n\nTrace-Head: ${line}` : "agent's work")
      return line
    } finally {
      await workspace.close()
    }
  }
  await agent(({ fs }) => fs.writeFileSync('src/old.ts', 'old\n'))
  run('checkout', '-q', '-b', 'work')
  return {
    ...{ root, write, read, commit, agent, git: run },
    ledger: () => read(LEDGER).trimEnd().split('\n'),
    writeLedger: (lines) => write(LEDGER, lines.map((line) => `${line}\n`).join('')),
  }
}

export function append(root: string, path: string, text: string): void {
  appendFileSync(join(root, path), text)
}
