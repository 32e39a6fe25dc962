import { describe, expect, it } from 'vitest'
import { geminiCall } from '../../src/agents/gemini/tools.js'
import { checkGoverned, checkHeard, checkStart, checkWhole, unknownTools } from './checks.js'
import { GEMINI } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.gemini.title, () => {
  checkGoverned(GEMINI)
  checkStart(GEMINI)
  checkWhole(GEMINI)
  checkHeard(GEMINI)

  it('every tool it offers is known, except those that start others', async () => {
    expect(await unknownTools(GEMINI, (tool) => geminiCall({ tool, input: {}, cwd: '/' }))).toEqual(['invoke_agent'])
  })
})
