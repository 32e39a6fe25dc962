import { expect, it } from 'vitest'
import type { Change } from '../../src/core/api.js'
import { formatRefusals, summaryOf } from '../../src/terminal/summary.js'

const NAME = 'src/a\nrefused (protected_path): .git/config'
const SHOWN = 'src/a^Jrefused (protected_path): .git/config'

it('a name with a line break adds no line to the summary', () => {
  const created: Change = {
    ...{ path: NAME, kind: 'create', before: null, after: 'sha256:1', mode: { before: null, after: 0o644 } },
    ...{ hunks: [], state: 'pending', flags: [] },
  }
  const moved: Change = { ...created, kind: 'rename', path: 'src/b', from: NAME }
  expect(summaryOf({ digest: 'sha256:2', changes: [created, moved] }, [], [NAME])).toBe(
    `renamed: ${SHOWN} -> src/b\ncreated: ${SHOWN}\nkept for later commands, not staged: ${SHOWN}`,
  )
  expect(formatRefusals([{ path: NAME, reason: 'scope_violation', message: '' }])).toBe(
    `refused (scope_violation): ${SHOWN}`,
  )
})
