import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

it('says that a changed policy.yaml is invalid, before it asks', async () => {
  const { root } = testWorkspace({ '.orchestration/policy.yaml': 'access: {}\n' })
  writeFileSync(`${root}/.orchestration/policy.yaml`, 'access: {}\nlimit: 3\n')
  const { code, out, err } = await escrowAt(root, ['trust'])
  expect([code, out]).toEqual([1, expect.stringContaining('loosens  limit: 3')])
  expect(err).toMatch(/^Policy Invalid: .* unknown key `limit`.*\nescrow: Nothing was accepted\./)
})
