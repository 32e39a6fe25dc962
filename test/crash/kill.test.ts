import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { committedSince, recover } from '../../src/commit/index.js'
import { type Bench, newBench } from '../commit/kit.js'
import { FILES, ledgerAt } from './committer.js'

const KILLS = 26
const AT_A_TIME = 2

/** Lets a child commit until some moment after its `rounds`th commit, kills it, and says which round it last answered. */
async function killOne(bench: Bench, from: number, rounds: number, delay: number): Promise<number> {
  const args = ['--import', './ts-node.mjs', 'test/crash/committer.ts', bench.root, String(from)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let answered = from - 1
  child.stdout.on('data', (data: Buffer) => {
    const lines = data.toString().trim().split('\n')
    answered = Number(lines.at(-1))
    if (answered - from + 1 >= rounds) setTimeout(() => child.kill('SIGKILL'), delay)
  })
  await new Promise((resolve) => child.on('close', resolve))
  return answered
}

/** All files of one round, none older than what was answered, and ledger and journal say the same. */
async function expectOneRound(bench: Bench, answered: number): Promise<number> {
  const ledger = ledgerAt(join(bench.root, '.orchestration', 'ledger.txt'))
  // A dead holder's lock is free after ten seconds; the test need not wait for it.
  const layout = { ...bench.layout, locks: join(bench.layout.dir, `locks-${Math.random()}`) }
  const { conflicts } = await recover(layout, ledger.append)
  expect(conflicts).toEqual([])
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '0')
  const rounds = new Set(FILES.map((path) => Number(read(join(bench.root, path)))))
  expect(rounds.size).toBe(1)
  const [round = -1] = rounds
  expect(round).toBeGreaterThanOrEqual(answered)
  expect(round).toBeLessThanOrEqual(answered + 1)
  expect(ledger.ids()).toEqual(Array.from({ length: round }, (_, i) => `round-${i + 1}`))
  expect(committedSince(bench.layout, 0)).toHaveLength(round)
  expect(await recover(layout, ledger.append)).toEqual({ finished: [], removed: [], conflicts: [] })
  return round
}

it(`loses nothing answered and leaves no half commit when killed at ${KILLS} random moments`, {
  timeout: 240_000,
}, async () => {
  let left = KILLS
  let unanswered = 0
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const bench = newBench()
      try {
        const answered = await killOne(bench, 1, 1 + (left % 3), Math.random() * 30)
        const round = await expectOneRound(bench, answered)
        if (round > answered) unanswered += 1
      } finally {
        bench.remove()
      }
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  // How many fell after a commit point is chance; it is told, not asserted.
  console.log(`${unanswered} of ${KILLS} kills fell between the commit point and the answer`)
})
