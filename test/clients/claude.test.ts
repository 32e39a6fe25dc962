import { describe } from 'vitest'
import { checkGoverned, checkHeard, checkWhole } from './checks.js'
import { CLAUDE } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.claude.title, () => {
  checkGoverned(CLAUDE)
  checkWhole(CLAUDE)
  checkHeard(CLAUDE)
})
