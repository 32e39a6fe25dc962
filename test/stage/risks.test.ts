import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it, vi } from 'vitest'
import { diffStage } from '../../overlay/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { createRisks, findingsCache, readStage } from '../../src/stage/index.js'
import { startSession, testWorkspace } from '../support/workspace.js'

const GUARDED = 'export function f(u) {\n  if (!u) throw new Error()\n}\n'
const BARE = 'export function f(u) {\n}\n'

it('a review gives facts only on request, and new ones for later changes', async () => {
  const project = testWorkspace({ 'src/a.ts': GUARDED, 'src/b.ts': 'a\n', 'src/c.test.ts': '' })
  const session = await startSession(await project.open())
  session.fs.writeFileSync('src/a.ts', BARE)
  session.fs.writeFileSync('src/b.ts', 'a\neval(a)\n')
  session.fs.writeFileSync('src/c.test.ts', '// new\n')
  const review = await (await project.open()).review(session.id)
  const facts = async () =>
    (await review.changes({ risk: true })).changes.map(({ path, risk }) => [path, risk?.level, risk?.facts])
  const removed = {
    name: 'guard-removed',
    severity: 'stop',
    path: 'src/a.ts',
    oldLine: 2,
    sentence: expect.any(String),
  }
  const run = { name: 'runs-text', severity: 'stop', path: 'src/b.ts', line: 2, sentence: expect.any(String) }
  const all = [
    ['src/a.ts', 'stop', [removed]],
    ['src/b.ts', 'stop', [run]],
    ['src/c.test.ts', 'none', []],
  ]
  expect(await facts()).toEqual(all)
  expect(await facts()).toEqual(all)
  expect((await review.changes()).changes.map(({ risk }) => risk)).toEqual([undefined, undefined, undefined])
  session.fs.writeFileSync('src/a.ts', `${GUARDED}//\n`)
  expect(await facts()).toEqual([['src/a.ts', 'none', []], ...all.slice(1)])
})

it('a deleted, a moved and a linked file have facts', async () => {
  const project = testWorkspace({ 'src/a.ts': GUARDED, 'src/b.ts': BARE })
  const session = await startSession(await project.open())
  session.fs.rmSync('src/a.ts')
  session.fs.renameSync('src/b.ts', 'src/c.ts')
  session.fs.symlinkSync('c.ts', 'src/d.ts')
  const review = await (await project.open()).review(session.id)
  const { changes } = await review.changes({ risk: true })
  expect(changes.map(({ path, risk }) => [path, risk?.facts.map(({ name }) => name)])).toEqual([
    ['src/a.ts', ['deleted']],
    ['src/c.ts', []],
    ['src/d.ts', ['link']],
  ])
})

it('a review takes the findings of an earlier process, and only for the same two contents', async () => {
  const place = testWorkspace({ 'src/a.ts': GUARDED })
  const session = await startSession(await place.open())
  session.fs.writeFileSync('src/a.ts', BARE)
  const layout = layoutAt(place.root)
  const factsIn = async (findings: string) => {
    const store = readStage(layout, session.id)
    const { changes } = diffStage(store.overlay)
    const risks = await createRisks(findingsCache({ ...layout, findings }))(store, changes, new Map())
    return [...risks.values()].flatMap(({ facts }) => facts.map(({ name }) => name))
  }
  const { findings } = layout
  expect(await factsIn(findings)).toEqual(['guard-removed', 'no-test'])
  await vi.waitFor(() => expect(readFileSync(findings, 'utf8')).toContain('guard-removed'))
  writeFileSync(findings, readFileSync(findings, 'utf8').replace('guard-removed', 'early-return-removed'))
  expect(await factsIn(`${dirname(findings)}/./findings.jsonl`)).toEqual(['early-return-removed', 'no-test'])
  session.fs.chmodSync('src/a.ts', 0o600)
  expect(await factsIn(`${dirname(findings)}/././findings.jsonl`)).toEqual(['guard-removed', 'no-test'])
})
