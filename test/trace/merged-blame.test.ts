import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { initWorkspace } from '../../src/access/init.js'
import type { Workspace } from '../../src/core/api.js'
import { openWorkspace } from '../../src/index.js'
import { commitAll, git } from '../support/git.js'
import { trust } from '../support/trust.js'

const created: string[] = []
afterEach(() => {
  for (const dir of created.splice(0)) rmSync(dir, { recursive: true, force: true })
})

const INTENTS = 'active_intents:\n  - { id: INT-001, name: One, status: IN_PROGRESS, owned_scope: ["**"] }\n'
/** An agent named after its session writes the file, and a person approves it. */
async function write(root: string, name: string, lines: readonly string[]): Promise<void> {
  trust(root)
  const workspace = await openWorkspace(root)
  const session = await workspace.session({ id: name, agent: { model: name } })
  await session.selectIntent('INT-001')
  session.fs.writeFileSync('a.ts', lines.map((line) => `${line}\n`).join(''))
  await session.close()
  const review = await workspace.review(name)
  await review.approve(undefined, { name: 'Ada' })
  await review.commit()
  await workspace.close()
  commitAll(root)
}

async function models(root: string): Promise<string[]> {
  const workspace: Workspace = await openWorkspace(root)
  const lines = await workspace.ledger.blame('a.ts')
  await workspace.close()
  return lines.map(({ model, contributor }) => model ?? contributor)
}

const FIRST = ['function first() {', '  return 1', '}']
const MIDDLE = ['', 'function middle() {', '  return 2', '}', '']
const LAST = ['function last() {', '  return 3', '}']
/** The last of each is a line with too little text to be identified. */
const HERS = ['hers(', '  4,', ')']
const HIS = ['his([', '  5,', '])']

it('blame keeps the author of a line after git merged its branch', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'escrowfs-merged-'))
  created.push(dir)
  const [ours, theirs] = [join(dir, 'ours'), join(dir, 'theirs')]
  git(dir, 'init', '-q', ours)
  await initWorkspace(ours)
  writeFileSync(join(ours, '.orchestration/active_intents.yaml'), INTENTS)
  trust(ours)
  await write(ours, 'base', [...FIRST, ...MIDDLE, ...LAST])
  git(dir, 'clone', '-q', ours, theirs)
  await write(ours, 'ours', [...FIRST, ...MIDDLE, ...HERS, ...LAST])
  await write(theirs, 'theirs', [...FIRST, ...HIS, ...MIDDLE, ...LAST])
  await write(theirs, 'again', ['// first', ...FIRST, ...HIS, ...MIDDLE, ...LAST])
  git(theirs, 'pull', '-q', '--no-rebase', '--no-edit')
  const workspace = await openWorkspace(theirs)
  await workspace.ledger.join({ name: 'Ada' })
  await workspace.close()
  const whose = [
    'again',
    ...FIRST.map(() => 'base'),
    ...HIS.map(() => 'theirs'),
    ...MIDDLE.map(() => 'base'),
    ...HERS.map(() => 'ours'),
    ...LAST.map(() => 'base'),
  ]
  expect(await models(theirs)).toEqual(whose)
  const merged = ['// first', ...FIRST, ...HIS, ...MIDDLE, ...HERS, ...LAST]
  await write(theirs, 'later', [...merged, '// the end'])
  expect(await models(theirs)).toEqual([...whose, 'later'])
})
