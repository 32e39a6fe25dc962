import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Ledger, openWorkspace } from '../../src/index.js'
import { FILES } from '../children/rounds.js'
import { KILLS, runAndKill, SLOW } from '../children/run-and-kill.js'
import { metadataOf, recordsOf, testWorkspace } from '../support/workspace.js'

it(`a commit killed at ${KILLS} random moments is complete or absent, and the ledger agrees`, SLOW, async () => {
  const project = testWorkspace()
  mkdirSync(`${project.root}/src/deep`, { recursive: true })
  let done = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const last = await runAndKill('committing.ts', project.root, done + 1, kill % 3, Math.random() * 60)
    const workspace = await openWorkspace(project.root)
    const onDisk = new Set(FILES.map((path) => roundOf(`${project.root}/${path}`)))
    expect([...onDisk]).toHaveLength(1)
    const [round = -1] = onDisk
    expect([last, last + 1]).toContain(round)
    const commits = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'commit')
    expect(commits).toHaveLength(round)
    expect(new Set(commits.map(({ tx }) => tx)).size).toBe(round)
    const session = await workspace.session({ id: 'agent' })
    await expectRepairedByAppend(workspace.ledger, () => session.selectIntent('INT-001'))
    const { changes } = await session.changes()
    for (const path of FILES) {
      const staged = changes.some((change) => change.path === path)
      const content = session.fs.existsSync(path) ? session.fs.readFileSync(path, 'utf8') : 'round 0\n'
      expect(content).toBe(`round ${staged ? round + 1 : round}\n`)
    }
    await workspace.close()
    done = round
  }
})

/** A kill may leave the last append unfinished, which the next append repairs. Any other fault fails the test. */
async function expectRepairedByAppend(ledger: Ledger, append: () => Promise<unknown>): Promise<void> {
  const { ok, records, firstBad } = await ledger.verify()
  if (!ok) expect(firstBad?.reason).toMatch(/The next append repairs it and says so\.$/)
  await append()
  const verified = await ledger.verify()
  expect(verified, JSON.stringify(verified)).toMatchObject({ ok: true })
  expect(verified.records).toBeGreaterThan(records)
}

function roundOf(path: string): number {
  return existsSync(path) ? Number(/\d+/.exec(readFileSync(path, 'utf8'))?.[0]) : 0
}
