import fs from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createBareFacade, tempDir } from '../support/facade.js'

/** The facade over a directory, and the changes that it asked a decision for. */
function site() {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  fs.mkdirSync(`${root}/d`)
  for (const name of ['a', 'b', 'c']) fs.writeFileSync(`${root}/d/${name}`, 'one')
  const changes: string[] = []
  const { fs: face } = createBareFacade(root, ({ effect, path }) => {
    if (effect !== 'read') changes.push(`${effect} ${path}`)
    return { verdict: 'stage' }
  })
  return { root, face, changes }
}

describe('a change', () => {
  it.each([
    ['of a new file', (face: typeof fs, root: string) => face.writeFileSync(`${root}/d/new`, 'x'), ['put d/new']],
    ['of an existing file', (face: typeof fs, root: string) => face.writeFileSync(`${root}/d/a`, 'x'), ['put d/a']],
    ['by promises', (face: typeof fs, root: string) => face.promises.writeFile(`${root}/d/a`, 'x'), ['put d/a']],
    ['that appends', (face: typeof fs, root: string) => face.appendFileSync(`${root}/d/a`, 'x'), ['put d/a']],
    ['of a mode', (face: typeof fs, root: string) => face.chmodSync(`${root}/d/a`, 0o600), ['setattr d/a']],
    ['of a length', (face: typeof fs, root: string) => face.truncateSync(`${root}/d/a`, 1), ['setattr d/a']],
    ['that removes', (face: typeof fs, root: string) => face.unlinkSync(`${root}/d/a`), ['remove d/a']],
    [
      'of a name',
      (face: typeof fs, root: string) => face.renameSync(`${root}/d/a`, `${root}/d/z`),
      ['move d/a', 'move d/z'],
    ],
  ])('%s asks for one decision for each path', async (_, work, asked) => {
    const { root, face, changes } = site()
    await work(face, root)
    expect(changes).toEqual(asked)
  })

  it('by a descriptor is judged at each write, because rules may change after the open', () => {
    const { root, face, changes } = site()
    const fd = face.openSync(`${root}/d/new`, 'w')
    face.writeSync(fd, 'a')
    face.writeSync(fd, 'b')
    face.closeSync(fd)
    expect(changes).toEqual(['put d/new', 'put d/new', 'put d/new'])
  })
})
