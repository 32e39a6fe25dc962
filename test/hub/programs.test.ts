import { it } from 'vitest'
import { openTwice, trialDatabase } from './fixtures.js'
import { checkPrograms } from './run-programs.js'

const databases = openTwice(trialDatabase)

it('nothing is approved or lands without its votes, and nothing is lost, in any program', () =>
  checkPrograms(databases, 8))
