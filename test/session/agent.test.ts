import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../overlay/index.js'
import { SessionAgent } from '../../src/session/agent.js'
import { newState } from '../../src/session/state.js'

function agentWith(known?: { tool?: string; model?: string; toolVersion?: string }) {
  const saved: object[] = []
  const stage: JsonValue[] = []
  const pushAgent = (agent: JsonValue) => stage.push(agent) - 1
  return {
    saved,
    stage,
    agent: new SessionAgent(known, newState(), { setAgent: pushAgent }, (each) => void saved.push(each)),
  }
}

describe('the agent of a session', () => {
  it('merges a later report of the same tool', () => {
    const { agent, saved, stage } = agentWith({ tool: 'codex' })
    expect(agent.update({ tool: 'codex', toolVersion: '2' })).toBe(1)
    expect(agent.update({ model: 'gpt-6' })).toBe(2)
    expect(agent.known).toEqual({ tool: 'codex', toolVersion: '2', model: 'gpt-6' })
    expect([saved.length, stage.length]).toEqual([2, 3])
  })

  it('is replaced when another tool reports, without the old model', () => {
    const { agent } = agentWith({ tool: 'codex', model: 'gpt-6' })
    agent.update({ tool: 'claude-code' })
    expect(agent.known).toEqual({ tool: 'claude-code' })
  })

  it('is recorded once, and long names are truncated', () => {
    const { agent, stage } = agentWith()
    for (const _ of [1, 2]) agent.update({ tool: 'x'.repeat(1_000) })
    expect([stage.length, agent.known?.tool?.length]).toEqual([2, 250])
  })
})
