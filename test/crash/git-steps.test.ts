import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startChild } from '../children/run.js'
import { KILLS, SLOW } from '../children/run-and-kill.js'
import { stateOf } from '../support/state.js'
import { gitRounds, onceWith, roundOf } from './git-rounds.js'

/** A kill of the process that calls git, at its call number `at`. */
interface Kill {
  readonly at: number
  readonly when: 'before' | 'after'
}

const NEVER: Kill = { at: 0, when: 'before' }

/** A directory with a program `git` that counts its calls and kills the caller at one of them. */
function gitThatKills({ at, when }: Kill): string {
  const bin = mkdtempSync(`${tmpdir()}/git-that-kills-`)
  const real = process.env.PATH?.split(':')
    .map((dir) => `${dir}/git`)
    .find(existsSync)
  // Nobody is left to start this git.
  const kill = (moment: Kill['when']) => (when === moment ? `[ "$n" != ${at} ] || { kill -KILL $PPID; exit 1; }` : ':')
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
  try {
    const child = startChild('committing-by.ts', root, bin, String(round))
    const isKilled = (await child.line()) !== 'done'
    await child.end()
    // Others wait for the owner of a lock. This one is dead.
    rmSync(`${stateOf(root)}/locks`, { recursive: true, force: true })
    return { calls: Number(readFileSync(`${bin}/calls`, 'utf8')), isKilled }
  } finally {
    rmSync(bin, { recursive: true, force: true })
  }
}

/** Some of the cases, evenly chosen from a drawn one on. A long run takes all of them. */
function sampleCases<T>(cases: readonly T[], draw: number): T[] {
  const step = Math.max(1, Math.floor(cases.length / Math.ceil(KILLS / 3)))
  return cases.filter((_, n) => n % step === draw % step)
}

it(
  'a commit killed before or after any of its git calls is in the tree and the branch, or in neither',
  SLOW,
  async () => {
    await onceWith(fc.nat(), async (draw) => {
      const at = gitRounds()
      const { calls } = await runWith(NEVER, at.root, 1)
      let round = roundOf(at)
      expect(round).toBe(1)
      const all = Array.from({ length: calls }, (_, n) => n + 1).flatMap((n): Kill[] => [
        { at: n, when: 'before' },
        { at: n, when: 'after' },
      ])
      const kills = sampleCases(all, draw)
      for (const kill of kills) {
        expect((await runWith(kill, at.root, round + 1)).isKilled).toBe(true)
        expect((await runWith(NEVER, at.root, 0)).isKilled).toBe(false)
        const current = roundOf(at)
        expect([round, round + 1]).toContain(current)
        round = current
      }
      console.log(`${calls} git calls, ${kills.length} kills: ${round - 1} commits were landed by the recovery`)
    })
  },
)

it('a recovery killed at any of its git calls is finished by the next one', SLOW, async () => {
  await onceWith(fc.nat(), async (draw) => {
    const at = gitRounds()
    const { calls } = await runWith(NEVER, at.root, 1)
    let round = roundOf(at)
    // The last calls of a commit land it, and the recovery repeats them.
    const all = [0, 2, 4].flatMap((last) => [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ at: calls - last, n })))
    const cases = sampleCases(all, draw)
    let cut = 0
    for (const { at: last, n } of cases) {
      expect((await runWith({ at: last, when: 'before' }, at.root, round + 1)).isKilled).toBe(true)
      const recovery = await runWith({ at: n, when: n % 2 === 0 ? 'before' : 'after' }, at.root, 0)
      if (recovery.isKilled) await runWith(NEVER, at.root, 0)
      const current = roundOf(at)
      expect(current).toBe(round + 1)
      round = current
      cut += Number(recovery.isKilled)
    }
    expect(cut).toBeGreaterThan(0)
    console.log(`${cut} of ${cases.length} recoveries were cut off`)
  })
})
