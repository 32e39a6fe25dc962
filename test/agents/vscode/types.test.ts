import { parametersSchema, toolNames } from '@roo-code/types'
import { describe, expect, it } from 'vitest'
import { governRoo } from '../../../src/agents/roo/index.js'
import { classifyTool, HookEngine, KNOWN_TOOLS, openAiTools } from '../../../src/hooks/index.js'
import { openWorkspace } from '../../../src/index.js'
import { shapes } from './shapes.js'

describe('the tools of the host', () => {
  it('are all in the catalogue by their published names', () => {
    expect(toolNames.filter((name) => !KNOWN_TOOLS.includes(name))).toEqual([])
    expect(toolNames).toHaveLength(24)
  })

  it('that change something are classified so in the catalogue', () => {
    const destructive = toolNames.filter((name) => classifyTool(name) === 'DESTRUCTIVE')
    expect(destructive.sort()).toEqual([
      ...['apply_diff', 'apply_patch', 'custom_tool', 'edit', 'edit_file', 'execute_command', 'generate_image'],
      ...['search_and_replace', 'search_replace', 'use_mcp_tool', 'write_to_file'],
    ])
  })
})

describe('custom tools', () => {
  const { customTools } = governRoo({
    engine: new HookEngine({ open: openWorkspace }),
    alias: { enter: () => undefined },
  })

  it("have schemas that Roo's zod can read: every argument required, as strict mode demands", () => {
    for (const { name, parameters } of customTools) {
      const json: unknown = Reflect.apply(parametersSchema.toJSONSchema, undefined, [parameters])
      const { properties, required } = json as { properties: object; required?: string[] }
      expect([name, required ?? []]).toEqual([name, Object.keys(properties)])
    }
  })

  it('are the tools escrowfs adds, and contained commands', () => {
    const added = openAiTools().map(({ function: { name } }) => name)
    expect(customTools.map(({ name }) => name)).toEqual([...added, 'run_command', 'read_run_output'])
    expect(customTools.filter(({ name }) => (toolNames as readonly string[]).includes(name))).toEqual([])
  })
})

it('the compiler compares the interfaces of both hosts', () => {
  expect(Object.keys(shapes).length).toBeGreaterThan(8)
})
