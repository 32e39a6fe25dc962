import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { blobsIn } from '../../src/os/git-batch.js'
import { initRepository } from '../support/git.js'
import { testWorkspace } from '../support/workspace.js'

it('has an answer for each object, also behind one that is missing or not a blob', () => {
  const { root } = testWorkspace({ 'src/a.ts': 'a\n\0ä\n', 'src/b.ts': '' })
  initRepository(root)
  const names = ['HEAD:src/a.ts', 'HEAD:src', 'HEAD:absent', 'HEAD:src/b.ts', 'HEAD:src/a.ts']
  const output = execFileSync('git', ['cat-file', '--batch'], { cwd: root, input: `${names.join('\n')}\n` })
  expect([...blobsIn(output.toString('latin1'))].map((each) => each?.toString())).toEqual([
    'a\n\0ä\n',
    undefined,
    undefined,
    '',
    'a\n\0ä\n',
  ])
})

it('ends where the output was cut', () => {
  expect([...blobsIn('aa blob 1\nx\nbb blob 5\nab')].map(String)).toEqual(['x'])
  expect([...blobsIn('aa blo')]).toEqual([])
})
