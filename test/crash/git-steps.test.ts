import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { FILES } from '../children/rounds.js'
import { startChild } from '../children/run.js'
import { KILLS, SLOW } from '../children/run-and-kill.js'
import { commitAll, git } from '../support/git.js'
import { stateOf } from '../support/state.js'
import { testWorkspace } from '../support/workspace.js'

/** A kill of the process that calls git, at its call number `at`. */
interface Kill {
  readonly at: number
  readonly when: 'before' | 'after'
}

const NEVER: Kill = { at: 0, when: 'before' }

function workspace() {
  const at = testWorkspace()
  const run = (...args: string[]) => git(at.root, ...args).trimEnd()
  mkdirSync(`${at.root}/src/deep`, { recursive: true })
  run('init', '-q', '-b', 'main')
  run('config', 'user.name', 'Ada')
  run('config', 'user.email', 'ada@example.org')
  at.write('.orchestration/policy.yaml', 'commit: { git: true }\n')
  at.write('.gitignore', '.orchestration/\n')
  commitAll(at.root)
  return { ...at, run }
}

/** A directory with a program `git` that counts its calls and kills the caller at one of them. */
function gitThatKills({ at, when }: Kill): string {
  const bin = mkdtempSync(`${tmpdir()}/git-that-kills-`)
  const real = process.env.PATH?.split(':')
    .map((dir) => `${dir}/git`)
    .find(existsSync)
  const kill = (moment: Kill['when']) => (when === moment ? `[ "$n" != ${at} ] || kill -KILL $PPID` : ':')
  const script = `#!/bin/sh
[ -e ${bin}/armed ] || exec ${real} "$@"
n=$(($(cat ${bin}/calls) + 1))
echo $n > ${bin}/calls
${kill('before')}
${real} "$@"
code=$?
${kill('after')}
exit $code
`
  writeFileSync(`${bin}/calls`, '0\n')
  writeFileSync(`${bin}/git`, script, { mode: 0o755 })
  return bin
}

/** Commits a round, or opens the workspace for round 0, with a git that kills the process. Resolves to the number of its git calls. */
async function runWith(kill: Kill, root: string, round: number): Promise<{ calls: number; isKilled: boolean }> {
  const bin = gitThatKills(kill)
  const child = startChild('committing-by.ts', root, bin, String(round))
  const isKilled = (await child.line()) !== 'done'
  await child.end()
  // Others wait for the owner of a lock. This one is dead.
  rmSync(`${stateOf(root)}/locks`, { recursive: true, force: true })
  return { calls: Number(readFileSync(`${bin}/calls`, 'utf8')), isKilled }
}

/** Some of the cases, evenly chosen from a random one on. A long run takes all of them. */
function some<T>(cases: readonly T[]): T[] {
  const step = Math.max(1, Math.floor(cases.length / Math.ceil(KILLS / 3)))
  const first = Math.floor(Math.random() * step)
  return cases.filter((_, n) => n % step === first)
}

function roundIn(text: string): number {
  return Number(/^round (\d+)$/.exec(text.trimEnd())?.[1] ?? 0)
}

/** The round that the files, the branch and git's index all have. */
function roundOf({ root, run }: ReturnType<typeof workspace>): number {
  const onDisk = FILES.map((path) => (existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, 'utf8') : ''))
  const [round = -1, ...others] = new Set(onDisk.map(roundIn))
  expect(others).toEqual([])
  const commits = run('log', '--format=%H', '--reverse').split('\n').slice(1)
  expect(commits.map((id) => roundIn(run('show', `${id}:${FILES[0]}`)))).toEqual(
    Array.from({ length: round }, (_, index) => index + 1),
  )
  expect(run('status', '--porcelain')).toBe('')
  return round
}

it(
  'a commit killed before or after any of its git calls is in the tree and the branch, or in neither',
  SLOW,
  async () => {
    const at = workspace()
    const { calls } = await runWith(NEVER, at.root, 1)
    let round = roundOf(at)
    expect(round).toBe(1)
    const all = Array.from({ length: calls }, (_, n) => n + 1).flatMap((n): Kill[] => [
      { at: n, when: 'before' },
      { at: n, when: 'after' },
    ])
    const kills = some(all)
    for (const kill of kills) {
      expect((await runWith(kill, at.root, round + 1)).isKilled).toBe(true)
      expect((await runWith(NEVER, at.root, 0)).isKilled).toBe(false)
      const now = roundOf(at)
      expect([round, round + 1]).toContain(now)
      round = now
    }
    console.log(`${calls} git calls, ${kills.length} kills: ${round - 1} commits were landed by the recovery`)
  },
)

it('a recovery killed at any of its git calls is finished by the next one', SLOW, async () => {
  const at = workspace()
  const { calls } = await runWith(NEVER, at.root, 1)
  let round = roundOf(at)
  // The last calls of a commit land it, and the recovery repeats them.
  const cases = some([0, 2, 4].flatMap((last) => [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ at: calls - last, n }))))
  let cut = 0
  for (const { at: last, n } of cases) {
    await runWith({ at: last, when: 'before' }, at.root, round + 1)
    const recovery = await runWith({ at: n, when: n % 2 === 0 ? 'before' : 'after' }, at.root, 0)
    if (recovery.isKilled) await runWith(NEVER, at.root, 0)
    const now = roundOf(at)
    expect(now).toBe(round + 1)
    round = now
    cut += Number(recovery.isKilled)
  }
  expect(cut).toBeGreaterThan(0)
  console.log(`${cut} of ${cases.length} recoveries were cut off`)
})
