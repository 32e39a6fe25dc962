import { expect, it } from 'vitest'
import { listRepositories, setRepository } from '../../src/hub/repositories.js'
import { newScope, trialDatabase } from './fixtures.js'

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
])('takes the address %s', async (url) => expect(await set(url)).toMatchObject({ url }))

it.each([
  'https://ada:secret@git.example/shop.git',
  'https://a-token@git.example/shop.git',
  'HTTPS://a-token@git.example/shop.git',
  'ssh://ada:secret@git.example/shop.git',
])('takes no password or token in an address: %s', async (url) => {
  await expect(set(url)).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(/password|address/) })
})

it.each(['ext::sh -c evil', '--upload-pack=evil', '-evil', 'shop.git', 'https://git.example/a b', 'fd::3'])(
  'takes no address that starts a program or is none: %s',
  async (url) => {
    await expect(set(url)).rejects.toMatchObject({ code: 'invalid' })
  },
)

it.each(['packages/shop', 'a', 'ünï/codé'])('takes the directory %s', async (directory) =>
  expect(await set('/srv/shop.git', directory)).toMatchObject({ directory }),
)

it.each(['..', 'a/../b', '/a', 'a//b', 'a/', '.', './a', 'a\\b', '.git', 'a/.GIT', 'a\nb', 'a\0b'])(
  'takes no directory that leaves the repository or is no path of it: %j',
  async (directory) => {
    await expect(set('/srv/shop.git', directory)).rejects.toMatchObject({ code: 'invalid' })
  },
)
