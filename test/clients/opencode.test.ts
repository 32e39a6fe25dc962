import { describe, expect, it } from 'vitest'
import { opencodeCall } from '../../src/agents/opencode/tools.js'
import { checkGoverned, checkHeard, checkStart, checkWhole, unknownTools } from './checks.js'
import { OPENCODE } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.opencode.title, () => {
  checkGoverned(OPENCODE)
  checkStart(OPENCODE)
  checkWhole(OPENCODE)
  checkHeard(OPENCODE)

  it('every tool it offers is known', async () => {
    expect(await unknownTools(OPENCODE, (tool) => opencodeCall({ tool, input: {}, cwd: '/' }))).toEqual([])
  })
})
