import { describe, expect, it, vi } from 'vitest'
import { main as agentLoop } from '../../examples/agent-loop/demo.js'
import { main as aiSdk } from '../../examples/ai-sdk/demo.js'
import { main as langchain } from '../../examples/langchain/demo.js'
import { LAST_REPLY } from '../../examples/shared/script.js'

const REFUSED = 'Scope Violation: INT-001 is not authorized to edit billing/invoice.js. Request scope expansion.'

describe.each([
  ['agent-loop', agentLoop, 'export const price = (net) => Math.round(net * 1.2)'],
  ['ai-sdk', aiSdk, 'exit code 0\nexport const price = (net) => Math.round(net * 1.2)'],
  ['langchain', langchain, 'exit code 0\nexport const price = (net) => Math.round(net * 1.2)'],
])('examples/%s', (_, main, command) => {
  it('stages the model’s writes, reports a refusal to it, and commits what a person approves', async () => {
    // Otherwise the SDK warns about missing telemetry.
    vi.stubEnv('LANGSMITH_TRACING', 'false')
    const lines: string[] = []
    await main((line) => lines.push(line))
    const read = lines.filter((line) => line.startsWith('the model read: ')).map((line) => line.slice(16))
    expect(read).toEqual([
      'export const price = (net) => net',
      'Staged src/price.js.',
      expect.stringContaining(REFUSED),
      expect.stringMatching(/^Staged migrations\/001\.sql\.\n\nFrom the reviewer:\n- migrations\/001\.sql: granted/),
      command,
    ])
    expect(lines).toContain(LAST_REPLY)
    expect(lines.filter((line) => line.startsWith('committed')).sort()).toEqual([
      'committed migrations/001.sql',
      'committed src/price.js',
    ])
    expect(lines.at(-1)).toBe('src/price.js:1 by scripted-1, approved by Ada')
  })
})
