import { describe } from 'vitest'
import { checkGoverned, checkHeard, checkWhole } from './checks.js'
import { OPENCODE } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.opencode.title, () => {
  checkGoverned(OPENCODE)
  checkWhole(OPENCODE)
  checkHeard(OPENCODE)
})
