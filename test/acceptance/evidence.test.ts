import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openEvidence, type StoredEvidence } from '../../src/acceptance/evidence.js'
import { tempDir } from '../support/facade.js'

const RUN: StoredEvidence = {
  id: 'run-1',
  intentId: 'INT-001',
  index: 0,
  check: { run: 'true' },
  exitCode: 0,
  duration: 1,
  output: '',
  tree: 'sha256:0',
  isolation: 'sandbox',
  tools: {},
  at: '2026-01-01T00:00:00.000Z',
  askedBy: { session: 's' },
}

it('evidence is not written once another process has taken the lock', async () => {
  const { path: dir, dispose } = tempDir('escrow-evidence-')
  onTestFinished(dispose)
  const [path, locks] = [join(dir, 'checks.json'), join(dir, 'locks')]
  const evidence = openEvidence(path, locks, 's')
  await evidence.add(RUN)
  const newer = JSON.stringify({ version: 1, runs: [RUN, { ...RUN, id: 'run-2' }] })
  const late = {
    ...RUN,
    // Another process takes over while this one is stopped between reading and writing.
    get id() {
      writeFileSync(join(locks, 'checks-s.holder'), JSON.stringify({ nonce: 'other' }))
      writeFileSync(path, newer)
      return 'run-3'
    },
  }
  await expect(evidence.add(late)).rejects.toMatchObject({ reason: 'session_busy' })
  expect(readFileSync(path, 'utf8')).toBe(newer)
})
