import { describe, expect, it } from 'vitest'
import { escrow, workspaceDir } from '../harness.js'

describe('escrow review without a terminal', () => {
  it('changes nothing, names the commands to use, and exits with 2', async () => {
    const ran = await escrow(workspaceDir(), ['review', 'agent\x1b[2J'])
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.calls.map(([name]) => name)).toEqual(['open', 'review', 'close'])
    expect(ran.err).toContain("See the changes with 'escrow diff agent^[[2J'")
    expect((await escrow(workspaceDir(), ['review'])).err).toContain("'escrow approve SESSION'")
  })
})
