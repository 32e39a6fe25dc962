import { describe } from 'vitest'
import { checkGoverned, checkWhole } from './checks.js'
import { GEMINI } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.gemini.title, () => {
  checkGoverned(GEMINI)
  checkWhole(GEMINI)
})
