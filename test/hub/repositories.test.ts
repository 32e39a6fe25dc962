import { describe, expect, it } from 'vitest'
import { changeKey } from '../../src/hub/change-key.js'
import { listRepositories, removeRepository, setRepository } from '../../src/hub/repositories.js'
import { openStores } from '../../src/hub/stores.js'
import type { Repository } from '../../src/hub/types.js'
import { createChange, newScope, trialDatabase } from './fixtures.js'

const set = async (url: string, directory = '') => {
  const [database, scope] = [await trialDatabase(), newScope()]
  await setRepository(database, Object.assign({ url, branch: 'main', directory, checks: [] }, scope))
  return (await listRepositories(database)).find(({ workspace }) => workspace === scope.workspace)
}

it.each([
  'https://git.example/shop.git',
  'ssh://git@git.example/shop.git',
  'git@git.example:shop.git',
  '/srv/shop.git',
])('accepts the address %s', async (url) => expect(await set(url)).toMatchObject({ url }))

it.each([
  'https://ada:secret@git.example/shop.git',
  'https://a-token@git.example/shop.git',
  'HTTPS://a-token@git.example/shop.git',
  'ssh://ada:secret@git.example/shop.git',
])('refuses a password or token in an address: %s', async (url) => {
  await expect(set(url)).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(/password|address/) })
})

it.each(['ext::sh -c evil', '--upload-pack=evil', '-evil', 'shop.git', 'https://git.example/a b', 'fd::3'])(
  'refuses an address that starts a program or is invalid: %s',
  async (url) => {
    await expect(set(url)).rejects.toMatchObject({ code: 'invalid' })
  },
)

it.each(['packages/shop', 'a', 'ünï/codé'])('accepts the directory %s', async (directory) =>
  expect(await set('/srv/shop.git', directory)).toMatchObject({ directory }),
)

it.each(['..', 'a/../b', '/a', 'a//b', 'a/', '.', './a', 'a\\b', '.git', 'a/.GIT', 'a\nb', 'a\0b'])(
  'refuses a directory that leaves the repository or is not a path in it: %j',
  async (directory) => {
    await expect(set('/srv/shop.git', directory)).rejects.toMatchObject({ code: 'invalid' })
  },
)

describe('while a landing waits, the repository', () => {
  const withLanding = async () => {
    const [database, scope] = [await trialDatabase(), newScope()]
    const repository = { url: '/srv/shop.git', branch: 'main', directory: '', checks: [], ...scope }
    await setRepository(database, repository)
    const { registry, queue, landings } = openStores(database, scope)
    const { epoch } = await registry.open('agent-1', 'laptop')
    const change = createChange('a')
    const hold = { session: 'agent-1', host: 'laptop', epoch }
    const { id } = await queue.submit(hold, { digest: '1', revision: 1, changes: [change] })
    await queue.decide(id, { keys: [changeKey(change)], verdict: 'approved' }, 'Ada')
    const current = async () =>
      (await listRepositories(database)).find(({ workspace }) => workspace === scope.workspace)
    const states = async () => (await landings.list()).map(({ state }) => state)
    expect(await states()).toEqual(['waiting'])
    return { database, scope, repository, now: current, states }
  }

  it.each<Partial<Repository>>([{ url: '/srv/other.git' }, { branch: 'other' }, { directory: 'packages/shop' }])(
    'is not replaced by %j: people approved for the other one',
    async (place) => {
      const { database, repository, now, states } = await withLanding()
      await expect(setRepository(database, { ...repository, ...place })).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(/^1 approved landing waits .*'escrow hub repository list'/),
      })
      expect(await now()).toMatchObject({ ...repository, waiting: 1 })
      expect(await states()).toEqual(['waiting'])
    },
  )

  it('accepts other checks for the same place', async () => {
    const { database, repository, now } = await withLanding()
    await setRepository(database, { ...repository, checks: [{ run: 'npm test' }] })
    expect(await now()).toMatchObject({ checks: [{ run: 'npm test' }], waiting: 1 })
  })

  it('accepts another place after the landing was withdrawn', async () => {
    const { database, scope, repository, now } = await withLanding()
    await removeRepository(database, scope)
    await setRepository(database, { ...repository, url: '/srv/other.git' })
    expect(await now()).toMatchObject({ url: '/srv/other.git', waiting: 0 })
  })
})
