import { toolNames } from '@roo-code/types'
import { beforeEach, describe, expect, it } from 'vitest'
import { IntentGate, type KeptNames } from '../../../src/agents/roo/index.js'
import { toolCatalogue } from '../../../src/hooks/index.js'
import { startSession, testWorkspace } from '../../support/workspace.js'
import { liveFixture } from './live-fixture.js'

interface Kept extends KeptNames {
  names: string[] | undefined
  sets: number
}

function newMemory(names?: string[]): Kept {
  return {
    names,
    sets: 0,
    get() {
      return this.names
    },
    async set(given) {
      this.names = given
      this.sets++
    },
  }
}

let disabledTools: Kept
let memory: Kept
const gate = () => new IntentGate({ catalogue: toolCatalogue(), disabledTools, memory })
const session = (tools: 'destructive' | 'all' = 'destructive', intent?: { id: string }) => {
  const settings = { tools, breaker: 3, modal: 'ask', requireMutationClass: false } as const
  return { gate: settings, intent: intent && { ...intent, name: '', status: 'IN_PROGRESS', ownedScope: [] } } as never
}

beforeEach(() => {
  disabledTools = newMemory()
  memory = newMemory()
})

const CHANGING = [
  ...['apply_diff', 'apply_patch', 'edit', 'edit_file', 'execute_command', 'generate_image', 'search_and_replace'],
  ...['search_replace', 'use_mcp_tool', 'write_to_file'],
]

describe('the intent gate', () => {
  it('hides tools that change something without an intent, and shows them again', async () => {
    await gate().sync(session())
    expect([...(disabledTools.names ?? [])].sort()).toEqual(CHANGING)
    expect(disabledTools.names?.filter((name) => !(toolNames as readonly string[]).includes(name))).toEqual([])
    await gate().sync(session('destructive', { id: 'INT-001' }))
    expect(disabledTools.names).toEqual([])
  })

  it('also hides reads if policy says all, but not questions', async () => {
    await gate().sync(session('all'))
    expect(disabledTools.names).toContain('read_file')
    expect(disabledTools.names).not.toContain('ask_followup_question')
    expect(disabledTools.names).not.toContain('attempt_completion')
  })

  it('keeps the tools that a person disabled, before or meanwhile', async () => {
    disabledTools.names = ['skill', 'edit']
    await gate().sync(session())
    expect(disabledTools.names).toEqual(expect.arrayContaining(['skill', ...CHANGING]))
    disabledTools.names = [...(disabledTools.names ?? []), 'new_task']
    await gate().sync(session('destructive', { id: 'INT-001' }))
    expect(disabledTools.names).toEqual(['skill', 'edit', 'new_task'])
  })

  it('removes only its own names after a crash', async () => {
    await gate().sync(session())
    const crashed = [...(disabledTools.names ?? [])]
    disabledTools = newMemory(crashed)
    await gate().sync()
    expect(disabledTools.names).toEqual([])
  })

  it('writes nothing if the names are already set', async () => {
    const one = gate()
    await Promise.all([one.sync(session()), one.sync(session()), one.sync(session())])
    expect(disabledTools.sets).toBe(1)
  })

  it('is closed at the first request of a live task, and open once an intent is selected', async () => {
    const { roo } = await liveFixture({ intent: null, gate: gate() })
    expect(disabledTools.names).toEqual(expect.arrayContaining(CHANGING))
    await roo.dispatch('select_active_intent', { intent_id: 'INT-001' })
    expect(disabledTools.names).toEqual([])
    await roo.dispatch('select_active_intent', { intent_id: null })
    expect(disabledTools.names).toEqual(expect.arrayContaining(CHANGING))
  })

  it('accepts a real session', async () => {
    const real = await startSession(await testWorkspace().open())
    await gate().sync(real)
    expect(disabledTools.names).toBeUndefined()
  })
})
