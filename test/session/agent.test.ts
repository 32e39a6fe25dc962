import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../overlay/index.js'
import { SessionAgent } from '../../src/session/agent.js'
import { newState } from '../../src/session/state.js'

function agentWith(known?: { tool?: string; model?: string; toolVersion?: string }) {
  const kept: object[] = []
  const stage: JsonValue[] = []
  const workedOnBy = (agent: JsonValue) => stage.push(agent) - 1
  return { kept, stage, agent: new SessionAgent(known, newState(), { workedOnBy }, (each) => void kept.push(each)) }
}

describe('who works in a session', () => {
  it('is added to by what the same tool says later', () => {
    const { agent, kept, stage } = agentWith({ tool: 'codex' })
    expect(agent.learn({ tool: 'codex', toolVersion: '2' })).toBe(1)
    expect(agent.learn({ model: 'gpt-6' })).toBe(2)
    expect(agent.known).toEqual({ tool: 'codex', toolVersion: '2', model: 'gpt-6' })
    expect([kept.length, stage.length]).toEqual([2, 3])
  })

  it('is another where another tool speaks: no model is taken over from the one before', () => {
    const { agent } = agentWith({ tool: 'codex', model: 'gpt-6' })
    agent.learn({ tool: 'claude-code' })
    expect(agent.known).toEqual({ tool: 'claude-code' })
  })

  it('is noted once, and a name has an end', () => {
    const { agent, stage } = agentWith()
    for (const _ of [1, 2]) agent.learn({ tool: 'x'.repeat(1_000) })
    expect([stage.length, agent.known?.tool?.length]).toEqual([2, 250])
  })
})
