import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { proposeLike } from '../../src/access/index.js'
import { tempDir } from '../support/facade.js'
import { commitAll, git } from '../support/git.js'

function tree(files: Readonly<Record<string, string>>): {
  root: string
  write(files: Readonly<Record<string, string>>): void
} {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  const write = (more: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(`${root}/${path}`), { recursive: true })
      writeFileSync(`${root}/${path}`, text)
    }
  }
  write(files)
  return { root, write }
}

it('proposes the directory of a path and its tests, and the checks that the package has', () => {
  const { root } = tree({
    'src/shop/price.ts': '',
    'test/shop/price.test.ts': '',
    'package.json': '{ "scripts": { "test": "vitest", "lint": "biome", "deploy": "x" } }',
  })
  const expected = { scope: ['src/shop/**', 'test/shop/**'], checks: ['npm run lint', 'npm test'] }
  expect(proposeLike(root, 'src/shop')).toEqual(expected)
  expect(proposeLike(root, 'src/shop/price.ts')).toEqual(expected)
  expect(proposeLike(root, 'package.json').scope).toEqual(['package.json'])
})

it('proposes the directories of the files that a git commit changed', () => {
  const { root, write } = tree({ 'a.txt': '' })
  git(root, 'init', '-q')
  commitAll(root)
  write({
    'src/shop/price.ts': '1',
    'src/shop/deep/tax.ts': '1',
    'test/shop/price.test.ts': '1',
    'README.md': '1',
    'od[d]/x.ts': '1',
  })
  commitAll(root)
  expect(proposeLike(root, 'HEAD')).toEqual({
    scope: ['od?d?/**', 'src/shop/**', 'test/shop/**', 'README.md'],
    checks: [],
  })
  expect(proposeLike(root, 'HEAD~1').scope).toEqual(['a.txt'])
})

it('joins directories if there are too many', () => {
  const { root, write } = tree({})
  git(root, 'init', '-q')
  write(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`src/part${n}/deep/file.ts`, '1'])))
  commitAll(root)
  expect(proposeLike(root, 'HEAD').scope).toEqual(['src/**'])
})

it.each(['nowhere', '../outside', '--help', 'HEAD'])('refuses %s, which is not an example', (like) => {
  expect(() => proposeLike(tree({}).root, like)).toThrow(/neither a path here nor a git commit/)
})
