import { expect, it } from 'vitest'
import { layoutOf } from '../../src/core/layout.js'

it.each(['/', '/home/ada/shop'])('shared files have the same names in %s as anywhere', (root) => {
  const { intentsFile, policyFile, gitignore, dir } = layoutOf(root, '/state')
  expect([intentsFile, policyFile, gitignore].map(({ name }) => name)).toEqual([
    '.orchestration/active_intents.yaml',
    '.orchestration/policy.yaml',
    '.orchestration/.gitignore',
  ])
  expect(`${policyFile}`).toBe(`${dir}/policy.yaml`)
})
