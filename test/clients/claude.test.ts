import { describe } from 'vitest'
import { checkGoverned } from './checks.js'
import { CLAUDE } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.claude.title, () => {
  checkGoverned(CLAUDE)
})
