import { expect, it } from 'vitest'
import { type ClientDriver, governedStand, prompted } from './drivers.js'

/** What holds for every client that `escrow init` has entered us into. Each title is a row of the table in docs/hosts/checks.md. */
export function checkGoverned(driver: ClientDriver): void {
  it('its own edit tool is refused, with the reason, and the disk stays as it was', async () => {
    const stand = await governedStand(driver, { script: [driver.writes('src/new.ts', 'export {}\n')] })
    const { code } = await prompted(driver, stand)
    expect(code).toBe(0)
    expect(stand.text('src/new.ts')).toBeUndefined()
    expect(stand.model.turns[1]?.results).toContain('Not Staged')
    expect(stand.model.strange).toEqual([])
  })

  it('a command that writes leaves the disk as it was', async () => {
    const stand = await governedStand(driver, { script: [driver.runs('echo two > src/a.ts')] })
    await prompted(driver, stand)
    expect(stand.text('src/a.ts')).toBe('export const a = 1\n')
    expect(stand.model.turns[1]?.results).not.toBe('')
  })

  it('a file written by our MCP server is staged', async () => {
    const script = [driver.ours('write_file', { path: 'src/new.ts', content: 'export {}\n' })]
    const stand = await governedStand(driver, { script })
    await prompted(driver, stand)
    expect(stand.model.turns[1]?.results).toContain('Successfully wrote')
    expect(stand.text('src/new.ts')).toBeUndefined()
    expect(await stand.escrow('diff', driver.client)).toContain('src/new.ts')
  })

  it('a write outside of the scope is refused, with the reason', async () => {
    const script = [driver.ours('write_file', { path: 'README.md', content: 'x\n' })]
    const stand = await governedStand(driver, { script })
    await prompted(driver, stand)
    expect(stand.model.turns[1]?.results).toContain('Scope Violation')
    expect(stand.text('README.md')).toBeUndefined()
  })

  it('the model is told of the intent', async () => {
    const stand = await governedStand(driver, { script: [] })
    await prompted(driver, stand)
    const [turn] = stand.model.turns
    expect(`${turn?.system}${turn?.heard}`).toContain('INT-001')
  })
}
