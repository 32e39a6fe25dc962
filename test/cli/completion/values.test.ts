import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createSourceReader } from '../../../src/cli/completion/values.js'
import { OWN } from '../../../src/trace/own-record.js'
import { testWorkspace } from '../../support/workspace.js'

it('offers the newest 200 commits, newest first, each once', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const commits = Array.from({ length: 250 }, (_, n) => `tx-${n}`)
  // A commit of a rebased branch can be in the ledger twice.
  const records = [...commits, 'tx-240'].map((tx) => ({
    version: '0.1.0',
    id: randomUUID(),
    timestamp: '2026-11-28T10:00:00Z',
    files: [],
    metadata: { [OWN]: { type: 'commit', tx } },
  }))
  const file = `${project.root}/.orchestration/agent_trace.jsonl`
  appendFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const offered = await createSourceReader(workspace)('commits', undefined)
  const expected = ['tx-240', ...commits.toReversed().filter((tx) => tx !== 'tx-240')].slice(0, 200)
  expect(offered.map(({ value }) => value)).toEqual(expected)
})
