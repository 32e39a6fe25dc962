import { describe } from 'vitest'
import { checkGoverned } from './checks.js'
import { GEMINI } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.gemini.title, () => {
  checkGoverned(GEMINI)
})
