import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findOldState, migrateOldState } from '../../src/access/migrate.js'
import { openWorkspace } from '../../src/index.js'
import { tempDir } from '../support/facade.js'
import { trust } from '../support/trust.js'
import { reasonOf } from '../support/workspace.js'

/** Staged work of an earlier version, which kept it in the repository. That version wrote the fixture. */

interface Old {
  readonly anchor: Readonly<Record<string, unknown>>
  readonly files: Readonly<Record<string, string>>
}

const OLD: Old = JSON.parse(
  readFileSync(new URL('../fixtures/workspace-of-earlier-version.json', import.meta.url), 'utf8'),
)

/** @param isOurs false for a clone on another machine. */
function oldWorkspace(isOurs: boolean): string {
  const { path: root, dispose } = tempDir('escrowfs-old-')
  onTestFinished(dispose)
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, text)
  }
  for (const [name, text] of Object.entries(OLD.files)) put(`${root}/${name}`, text)
  if (isOurs) {
    const name = createHash('sha256').update(root).digest('hex').slice(0, 32)
    const anchors = `${process.env.XDG_STATE_HOME}/escrowfs/anchors/${name}.jsonl`
    put(anchors, `${JSON.stringify({ ...OLD.anchor, root })}\n`)
    onTestFinished(() => rmSync(anchors, { force: true }))
  }
  return root
}

it('an old session becomes proposals when a person migrates: no verdicts or plans, and unique commit numbers', async () => {
  const root = oldWorkspace(true)
  expect(findOldState(root)).toEqual({
    names: ['sessions', 'commits', 'ledger.d'].map((name) => `.orchestration/${name}`),
    sessions: ['agent-1'],
    isOurs: true,
  })
  expect(await (await openWorkspace(root)).sessions()).toEqual([])
  expect(migrateOldState(root)).toEqual(['agent-1'])
  expect(migrateOldState(root)).toEqual([])
  trust(root)
  const workspace = await openWorkspace(root)
  const review = await workspace.review('agent-1')
  expect((await review.changes()).changes.map(({ path, state }) => [path, state])).toEqual([
    ['src/price.js', 'pending'],
    ['src/tax.js', 'pending'],
  ])
  expect(await review.commit()).toMatchObject({ id: '', committed: [] })
  await review.approve()
  const { seq, committed } = await review.commit()
  expect([seq, committed]).toEqual([2, ['src/price.js', 'src/tax.js']])
  expect(readFileSync(`${root}/src/tax.js`, 'utf8')).toBe('export const tax = 0.2\n')
  expect(await reasonOf(() => workspace.undo('1'))).toBe('undo_expired')
  await workspace.close()
})

it('an old session is only listed if nothing proves that this machine wrote it', () => {
  const root = oldWorkspace(false)
  expect(findOldState(root)).toMatchObject({ sessions: ['agent-1'], isOurs: false })
  expect(() => migrateOldState(root)).toThrow(expect.objectContaining({ reason: 'access_denied' }))
  expect(existsSync(`${root}/.orchestration/sessions/agent-1/stage.log`)).toBe(true)
})

it('an old session cannot be migrated by an agent', () => {
  const root = oldWorkspace(true)
  const { ESCROW_SESSION: before } = process.env
  process.env.ESCROW_SESSION = 'agent-1'
  onTestFinished(() => {
    if (before === undefined) delete process.env.ESCROW_SESSION
    else process.env.ESCROW_SESSION = before
  })
  expect(() => migrateOldState(root)).toThrow(expect.objectContaining({ reason: 'access_denied' }))
})

it('an old session is not copied through a symlink', async () => {
  const root = oldWorkspace(true)
  const { path: outside, dispose } = tempDir()
  onTestFinished(dispose)
  writeFileSync(`${outside}/meta.json`, '{"model": "a private word"}')
  rmSync(`${root}/.orchestration/sessions/agent-1/meta.json`)
  symlinkSync(`${outside}/meta.json`, `${root}/.orchestration/sessions/agent-1/meta.json`)
  expect(() => migrateOldState(root)).toThrow(/is a symlink, not a plain file/)
  rmSync(`${root}/.orchestration/sessions`, { recursive: true })
  symlinkSync(outside, `${root}/.orchestration/sessions`)
  expect(findOldState(root)).toMatchObject({ sessions: [] })
  expect(migrateOldState(root)).toEqual([])
  expect(await (await openWorkspace(root)).sessions()).toEqual([])
})

it('a current workspace has no old session', async () => {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  mkdirSync(`${root}/.orchestration`)
  expect(findOldState(root)).toBeUndefined()
})
