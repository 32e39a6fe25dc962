import { describe, expect, it, onTestFinished } from 'vitest'
import { type Attempt, DEFAULT_REQUIRED, PROTECTION_NAMES } from '../../src/core/protection.js'
import { withStateHome } from '../../src/os/state-dir.js'
import { openFirst, tryEach } from '../../src/terminal/containment.js'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { fakeContainment } from '../support/containments.js'
import { tempDir } from '../support/facade.js'

const FAILED: Attempt = { works: false, failure: { what: 'mounts', problem: 'not permitted', fix: 'allow them' } }
const failToOpen = (name: string) => async () => {
  throw new Error(`opened ${name}`)
}

/** Without the attempts that are recorded for this machine. */
function withFreshState(work: () => Promise<void>): Promise<void> {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return withStateHome(path, work)
}

describe('the choice of a containment', () => {
  it('is the first that has the required protections and works in an attempt; the others are not tried', async () => {
    const tries: string[] = []
    const provider = (name: 'namespace-overlay' | 'namespace-copy' | 'landlock-copy', attempt: Attempt) =>
      fakeContainment({
        name,
        attempt: async () => {
          tries.push(name)
          return attempt
        },
        open: failToOpen(name),
      })
    const weak = fakeContainment({ name: 'namespace-overlay', keeps: ['write_fence'], open: failToOpen('weak') })
    const all = [weak, provider('namespace-copy', FAILED), provider('landlock-copy', { works: true }), weak]
    const tried = await tryEach(all, ['write_fence', 'network_off'], (each) => each.attempt())
    expect(tried.map(({ name, works, lacks }) => [name, works, lacks])).toEqual([
      ['namespace-overlay', undefined, ['network_off']],
      ['namespace-copy', false, []],
      ['landlock-copy', true, []],
    ])
    expect(tries).toEqual(['namespace-copy', 'landlock-copy'])
    await withFreshState(async () => {
      await expect(openFirst(all, { root: '/' }, ['write_fence', 'network_off'])).rejects.toThrow(
        'opened landlock-copy',
      )
      await expect(openFirst(all, { root: '/' }, ['write_fence'])).rejects.toThrow('opened weak')
    })
  })

  it('fails if none has the required protections, works and can show the workspace', async () => {
    const failure = { what: 'mounts', problem: 'a mount inside', fix: 'move it' }
    const all = [fakeContainment({ unfit: () => failure }), fakeContainment({ attempt: async () => FAILED })]
    await withFreshState(async () => {
      expect(await openFirst(all, { root: '/' }, [])).toEqual({
        place: undefined,
        failures: [failure, FAILED.failure],
        lacking: [],
      })
      expect(await openFirst(all, { root: '/' }, ['process_list'])).toMatchObject({
        place: undefined,
        failures: [],
        lacking: all.map(({ name }) => ({ name, lacks: ['process_list'] })),
      })
    })
  })
})

describe('each provider', () => {
  it.each(CONTAINMENTS)('$name has all protections that are required by default', ({ keeps }) => {
    expect(DEFAULT_REQUIRED.filter((each) => !keeps.includes(each))).toEqual([])
    expect(keeps.filter((each) => !PROTECTION_NAMES.includes(each))).toEqual([])
  })

  it('has a unique name', () => {
    expect(new Set(CONTAINMENTS.map(({ name }) => name)).size).toBe(CONTAINMENTS.length)
  })
})
