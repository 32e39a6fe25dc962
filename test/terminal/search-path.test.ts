import { afterEach, expect, it, vi } from 'vitest'
import { site } from './site.js'

afterEach(() => void vi.unstubAllEnvs())

it('a program that an agent puts into the workspace replaces no other, and is found if there is no other', async () => {
  const { session, root } = await site()
  vi.stubEnv('PATH', `${root}/bin:${root}/none/../bin:bin::.:${process.env.PATH}`)
  session.fs.mkdirSync('bin')
  for (const name of ['cat', 'only-here'])
    session.fs.writeFileSync(`bin/${name}`, '#!/bin/sh\necho made\n', { mode: 0o755 })
  expect((await session.exec('cat src/b.ts; only-here')).stdout).toBe('b\nmade\n')
  expect((await session.exec(['cat', 'src/b.ts'])).stdout).toBe('b\n')
  expect((await session.exec('cat', { env: { PATH: `${root}/bin` } })).stdout).toBe('made\n')
})
