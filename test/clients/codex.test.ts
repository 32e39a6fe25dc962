import { describe } from 'vitest'
import { checkGoverned, checkHeard, checkWhole } from './checks.js'
import { CODEX } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.codex.title, () => {
  checkGoverned(CODEX)
  checkWhole(CODEX)
  checkHeard(CODEX)
})
