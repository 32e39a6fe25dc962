import { describe, expect, it } from 'vitest'
import { escrow, workspaceDir } from './harness.js'

describe('init', () => {
  it('installs the launcher, and runs each hook once before it reports success', async () => {
    const { code, out, calls } = await escrow(workspaceDir(), ['init', '--claude', '--roo', '--yes'])
    expect(code).toBe(0)
    expect(calls).toContainEqual(['installLauncher', '/package/main.js'])
    expect(out).toContain(
      "checked  claude: its hook was run once and works\nchecked  roo: escrow's MCP server starts\n",
    )
  })

  it('exits with 1 for a failing hook, with the reason and the fix', async () => {
    const { code, err } = await escrow(workspaceDir(), ['init', '--cline', '--yes'], { blocked: 'no\u001b.' })
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('blocked  cline: its hook was run once and fails: no^[.\n'),
    ])
    expect(err).toContain("'escrow doctor' checks again")
    const json = await escrow(workspaceDir(), ['init', '--cline', '--yes', '--json'], { blocked: 'no' })
    expect([json.code, JSON.parse(json.out).blocked]).toEqual([1, [{ client: 'cline', blocked: 'no' }]])
  })

  it('checks hooks again if the settings need no change, and checks nothing with --remove', async () => {
    const cwd = workspaceDir()
    await escrow(cwd, ['init', '--claude', '--yes'])
    expect((await escrow(cwd, ['init', '--claude', '--yes'], { blocked: 'gone' })).code).toBe(1)
    const { code, out } = await escrow(cwd, ['init', '--remove', '--yes'], { blocked: 'gone' })
    expect([code, out]).toEqual([0, expect.not.stringContaining('checked')])
  })

  it('changes nothing after the answer no', async () => {
    const { code, calls } = await escrow(workspaceDir(), ['init', '--claude'], { answer: false })
    expect([code, calls.some(([name]) => name === 'installLauncher')]).toEqual([1, false])
  })
})
