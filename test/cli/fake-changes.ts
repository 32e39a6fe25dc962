import type { Change } from '../../src/core/api.js'

/** Changes, a change set and ledger records that a library of tests returns to the command. */

export const change: Change = {
  path: 'a.ts',
  kind: 'create',
  before: null,
  after: 'sha256:1',
  mode: { before: null, after: 0o644 },
  hunks: [
    {
      id: 'h_aaaa1111',
      oldStart: 0,
      oldLines: 0,
      newStart: 1,
      newLines: 1,
      text: '@@ -0,0 +1,1 @@\n+x\n',
      state: 'pending',
    },
  ],
  state: 'pending',
  flags: [],
}
const other = change.hunks.map((hunk) => ({ ...hunk, id: 'h_aaaa2222' }))
export const set = { digest: 'sha256:2', changes: [change, { ...change, path: 'b.ts', hunks: other }] }

export const record = (seq: number, more: object, own: object = {}) => ({
  timestamp: `2026-01-0${seq}T00:00:00.000Z`,
  session_id: 's1',
  ...more,
  metadata: { 'dev.escrowfs': { seq, ...own } },
})
