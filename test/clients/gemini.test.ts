import { describe } from 'vitest'
import { checkGoverned, checkHeard, checkWhole } from './checks.js'
import { GEMINI } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.gemini.title, () => {
  checkGoverned(GEMINI)
  checkWhole(GEMINI)
  checkHeard(GEMINI)
})
