import { expect, it } from 'vitest'
import type { ReceivedLanding } from '../../src/remote/hub-client.js'
import { newestLanded, readLandedOf } from '../../src/remote/settings.js'
import { serveTrial } from '../hub/fixtures.js'
import { failure, metadataOf, recordsOf } from '../support/workspace.js'
import { connectMachine, reviewerOf, startProxy, sync } from './kit.js'

const COMMIT = '1'.repeat(40)

/**
 * A machine with an approved change of src/a.ts, whose hub lies about landings.
 * @param lie the changed fields of that landing
 */
async function runWithLyingHub(lie: (landing: ReceivedLanding) => Partial<ReceivedLanding>) {
  const hub = await serveTrial()
  let key = ''
  let hasLied = false
  const url = await startProxy(hub, async (path, response) => {
    if (path !== '/v1/decisions' || key === '') return response
    const answer = await response.json()
    const last = answer.last + 1
    if (hasLied) return Response.json(Object.assign({}, answer, { next: last, last }))
    hasLied = true
    const landing: ReceivedLanding = {
      ...{ seq: last, session: 'laptop.agent-1', state: 'landed', branch: 'main', commit: COMMIT },
      changes: [{ key, path: 'src/a.ts' }],
    }
    const landings = [Object.assign(landing, lie(landing))]
    return Response.json(Object.assign({}, answer, { landings, next: last, last }))
  })
  const { workspace, session } = await connectMachine(hub, 'laptop', url)
  const ada = await reviewerOf(hub)
  session.fs.writeFileSync('src/a.ts', 'x\n')
  await sync(workspace)
  const { changes } = await ada.open('laptop.agent-1')
  await ada.decide('laptop.agent-1', 'approved', 'src/a.ts')
  await sync(workspace)
  key = changes[0]?.key ?? ''
  const records = async () => (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'commit')
  return { workspace, records }
}

it.each<[string, Partial<ReceivedLanding>]>([
  ['no branch', { branch: '' }],
  ['a branch with a control character', { branch: 'main\u001b[2J' }],
  ['no commit', { commit: '' }],
  ['an invalid commit id', { commit: '1234567' }],
])('refuses a landing with %s, and records nothing', async (_, lie) => {
  const { workspace, records } = await runWithLyingHub(() => lie)
  expect(await failure(() => sync(workspace))).toMatchObject({ code: 'failed' })
  expect(await records()).toEqual([])
})

it.each<[string, Partial<ReceivedLanding>]>([
  ['of another machine', { session: 'desk.agent-1' }],
  ['of an unknown session', { session: 'laptop.agent-2' }],
  ['of other bytes', { changes: [{ key: 'k', path: 'src/a.ts' }] }],
])('ignores a landing %s', async (_, lie) => {
  const { workspace, records } = await runWithLyingHub(() => lie)
  await sync(workspace)
  expect(await records()).toEqual([])
})

it('ignores a landing of a change that a person here has rejected since', async () => {
  const { workspace, records } = await runWithLyingHub(() => ({}))
  const review = await workspace.review('agent-1')
  await review.changes()
  await review.reject('src/a.ts', 'no', { name: 'Bo' })
  await sync(workspace)
  expect(await records()).toEqual([])
})

it('records a landing of a change that is approved here', async () => {
  const { workspace, records } = await runWithLyingHub(() => ({}))
  await sync(workspace)
  expect(await records()).toMatchObject([{ landed: { branch: 'main', commit: COMMIT }, approved_by: ['Ada'] }])
})

it('goes on after landings of many changes', async () => {
  const changes = Array.from({ length: 40_000 }, (_, n) => ({ key: 'k'.repeat(64), path: `src/generated/${n}.ts` }))
  const { workspace } = await runWithLyingHub(() => ({ changes }))
  await sync(workspace)
  await sync(workspace)
  const landed = readLandedOf(workspace.root)
  expect(landed.map((each) => each.changes.length)).toEqual([40_000])
  const more = Array.from({ length: 5 }, (_, n) => Object.assign({}, landed[0], { commit: `${n}`.repeat(40) }))
  expect(newestLanded([...landed, ...more]).map(({ commit }) => commit)).toEqual(['4'.repeat(40)])
  const small = more.map((each) => Object.assign({}, each, { changes: changes.slice(0, 3_000) }))
  expect(newestLanded([...landed, ...small])).toEqual(small)
})
