import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { FILES } from '../children/rounds.js'
import { KILLS, runAndKill, SLOW } from '../children/run-and-kill.js'
import { commitAll, git } from '../support/git.js'
import { stateOf } from '../support/state.js'
import { testWorkspace } from '../support/workspace.js'

/** Each round starts git some twenty times. */
const TIMES = Math.ceil(KILLS / 3)

it(
  `a commit with git killed at ${TIMES} random moments is in both the tree and the branch, or in neither`,
  SLOW,
  async () => {
    const at = testWorkspace()
    const run = (...args: string[]) => git(at.root, ...args).trimEnd()
    mkdirSync(`${at.root}/src/deep`, { recursive: true })
    run('init', '-q', '-b', 'main')
    run('config', 'user.name', 'Ada')
    run('config', 'user.email', 'ada@example.org')
    at.write('.orchestration/policy.yaml', 'commit: { git: true }\n')
    at.write('.gitignore', '.orchestration/\n')
    commitAll(at.root)
    let done = 0
    for (let kill = 0; kill < TIMES; kill += 1) {
      const last = await runAndKill('committing.ts', at.root, done + 1, kill % 2, Math.random() * 300)
      // A killed git leaves this file, and asks people to remove it.
      rmSync(`${at.root}/.git/index.lock`, { force: true })
      const workspace = await openWorkspace(at.root)
      await workspace.close()
      const onDisk = new Set(
        FILES.map((path) =>
          roundIn(existsSync(`${at.root}/${path}`) ? readFileSync(`${at.root}/${path}`, 'utf8') : ''),
        ),
      )
      expect([...onDisk]).toHaveLength(1)
      const [round = -1] = onDisk
      expect([last, last + 1]).toContain(round)
      const commits = run('log', '--format=%H', '--reverse').split('\n').slice(1)
      const rounds = commits.map((id) => roundIn(run('show', `${id}:${FILES[0]}`)))
      expect(rounds).toEqual(Array.from({ length: round }, (_, index) => index + 1))
      if (round > 0) for (const path of FILES) expect(roundIn(run('show', `HEAD:${path}`))).toBe(round)
      expect(run('status', '--porcelain')).toBe('')
      done = round
    }
    expect(readdirSync(stateOf(at.root)).filter((name) => name.startsWith('git-')).length).toBeLessThanOrEqual(TIMES)
  },
)

function roundIn(text: string): number {
  return Number(/^round (\d+)$/.exec(text.trimEnd())?.[1] ?? 0)
}
