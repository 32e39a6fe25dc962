import { type BlameLine, openWorkspace } from '../../src/index.js'
import { git, initRepository } from '../support/git.js'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'

/** Repositories in which agents work, and the authors of their lines. */

/** Before every agent's work, so that lines of the first commit are unknown. */
const LONG_AGO = '2020-01-02T03:04:05Z'

export const text = (...lines: readonly (string | readonly string[])[]) =>
  lines
    .flat()
    .map((line) => `${line}\n`)
    .join('')

export const BEGIN = ['function first(a, b) {', '  return a + b', '}', '']
export const ONE = ['function second(c) {', '  return null', '}', '']
export const TWO = ['function third(d) {', '  return null', '}', '']

/** A repository with the ledger outside git, and agents whose changes are committed in it. */
export function repository(files: Readonly<Record<string, string>> = { 'src/a.ts': text(BEGIN) }) {
  const project = testWorkspace(files)
  initRepository(project.root, { date: LONG_AGO })
  const run = (...args: string[]) => git(project.root, ...args)
  return {
    ...project,
    run,
    id: (name: string) => run('rev-parse', name).trim(),
    /** An agent's change of a file is committed to git. */
    agent: (id: string, content: string, path = 'src/a.ts') => land(project, { id, content, path }),
    /** Removes every commit that is on no branch. */
    collect() {
      run('reflog', 'expire', '--expire=now', '--all')
      run('gc', '-q', '--prune=now')
    },
  }
}

export type TestRepository = ReturnType<typeof repository>

interface Work {
  /** The session, and the model of its agent. */
  readonly id: string
  readonly path: string
  readonly content: string
  /** Whether it is committed to git. */
  readonly intoGit?: boolean
}

/** An agent writes a file, Ann approves it, and it is committed. */
export async function land(project: TestWorkspace, { id, path, content, intoGit = true }: Work): Promise<void> {
  const workspace = await project.open()
  const session = await workspace.session({ id, agent: { model: id, tool: 'tester' } })
  await session.selectIntent('INT-001')
  session.fs.writeFileSync(path, content)
  const review = await workspace.review(id)
  await review.approve(undefined, { name: 'Ann' })
  await review.commit({ git: intoGit && {} })
  await workspace.close()
}

export async function blame(root: string, path = 'src/a.ts'): Promise<BlameLine[]> {
  const workspace = await openWorkspace(root)
  const lines = await workspace.ledger.blame(path)
  await workspace.close()
  return lines
}

/** The author of each line, in short. */
export async function authors(root: string, path?: string): Promise<string[]> {
  return (await blame(root, path)).map(({ contributor, model, approvedBy, imported }) =>
    [contributor, model, approvedBy, imported && 'imported'].filter(Boolean).join(' '),
  )
}
