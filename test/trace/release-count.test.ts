import { expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }
const POLICY = `approval:
  auto:
    tiers:
      - { name: docs, paths: ["docs/**"], classes: [documentation], max_files: 5, max_lines: 50, requires: [no_link] }
`
const NONE = { commits: 0, changes: 0, undone: 0 }

async function begin() {
  const project = testWorkspace({ 'docs/a.md': 'a\n', 'docs/b.md': 'b\n', 'src/a.ts': 'a\n' }, INTENTS)
  project.write('.orchestration/policy.yaml', POLICY)
  const workspace = await project.open()
  const session = await startSession(workspace)
  const countReleased = async () => (await workspace.ledger.stats()).released
  return { workspace, session, review: await workspace.review('agent'), countReleased }
}

const INTENTS = `active_intents:
  - id: INT-001
    name: All
    status: IN_PROGRESS
    owned_scope: ["**"]
`

it('counts releases by rules, releases by people, and undone ones', async () => {
  const { workspace, session, review, countReleased } = await begin()
  expect(await countReleased()).toEqual({ byPeople: NONE, byTier: {} })
  session.fs.writeFileSync('docs/a.md', 'a1\n')
  session.fs.writeFileSync('docs/b.md', 'b1\n')
  await session.flush()
  const { commit } = await review.release()
  session.fs.writeFileSync('docs/a.md', 'a2\n')
  session.fs.writeFileSync('src/a.ts', 'a2\n')
  await session.flush()
  await review.changes()
  await review.approve(['docs/a.md', 'src/a.ts'], ANN)
  await review.commit()
  const both = {
    byPeople: { commits: 1, changes: 2, undone: 0 },
    byTier: { docs: { commits: 1, changes: 2, undone: 0 } },
  }
  expect(await countReleased()).toEqual(both)
  const { approval } = await workspace.ledger.stats()
  expect(approval).toEqual({ approved: 2, rejected: 0, rate: 1 })
  session.fs.writeFileSync('docs/b.md', 'b2\n')
  await session.flush()
  expect((await review.release()).commit?.paths).toEqual(['docs/b.md'])
  const last = (await review.release()).commit
  expect(last).toBeUndefined()
  expect(commit?.paths).toEqual(['docs/a.md', 'docs/b.md'])
  expect((await countReleased()).byTier).toEqual({ docs: { commits: 2, changes: 3, undone: 0 } })
})

it('counts an undone release, and not the undo itself', async () => {
  const { workspace, session, review, countReleased } = await begin()
  session.fs.writeFileSync('docs/a.md', 'a1\n')
  await session.flush()
  const { commit } = await review.release()
  const inverse = await workspace.undo(commit?.id ?? '')
  await inverse.approve('docs/a.md', ANN)
  await inverse.commit()
  expect(await countReleased()).toEqual({ byPeople: NONE, byTier: { docs: { commits: 1, changes: 1, undone: 1 } } })
})

/** A session with two approved changes: docs/a.md by rule, src/a.ts by Ann. */
async function halfByRule() {
  const begun = await begin()
  const { session, review } = begun
  session.fs.writeFileSync('docs/a.md', 'a1\n')
  session.fs.writeFileSync('src/a.ts', 'a1\n')
  await session.flush()
  await review.approve('src/a.ts', ANN)
  expect((await review.release()).approved).toEqual(['docs/a.md'])
  return begun
}

it('counts for the person who decided after the rule was withdrawn', async () => {
  const { review, countReleased } = await halfByRule()
  await review.withdraw('docs/a.md', ANN)
  await review.approve('docs/a.md', ANN)
  await review.commit()
  expect(await countReleased()).toEqual({ byPeople: { commits: 1, changes: 2, undone: 0 }, byTier: {} })
})

it('counts a landing that is committed here later once, for the rule that released it', async () => {
  const { session, review, countReleased } = await halfByRule()
  const at = { branch: 'main', commit: '1'.repeat(40) }
  expect(await review.recordLanded(['docs/a.md', 'src/a.ts'], at)).toEqual(['docs/a.md', 'src/a.ts'])
  const both = {
    byPeople: { commits: 1, changes: 1, undone: 0 },
    byTier: { docs: { commits: 1, changes: 1, undone: 0 } },
  }
  expect(await countReleased()).toEqual(both)
  expect(await review.recordLanded(['docs/a.md'], { branch: 'main', commit: '2'.repeat(40) })).toEqual(['docs/a.md'])
  expect(await countReleased()).toEqual(both)
  await review.commit()
  expect(await countReleased()).toEqual(both)
  session.fs.writeFileSync('docs/a.md', 'a2\n')
  await session.flush()
  await review.changes()
  await review.approve('docs/a.md', ANN)
  await review.commit()
  expect(await countReleased()).toEqual({ ...both, byPeople: { commits: 2, changes: 2, undone: 0 } })
})
