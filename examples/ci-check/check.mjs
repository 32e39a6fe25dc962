#!/usr/bin/env node
// Holds a pull request against its ledger: node check.mjs --base origin/main. README.md beside it says what it proves.
import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { checkLedger } from './check-ledger.mjs'
import { renderSummary } from './summary.mjs'

const OPTIONS = /** @type {const} */ ({
  base: { type: 'string' },
  head: { type: 'string', default: 'HEAD' },
  workspace: { type: 'string', default: '.' },
  keys: { type: 'string' },
  'require-trailers': { type: 'boolean', default: false },
  summary: { type: 'string' },
})

// 0: it holds. 1: it does not. 2: it could not be checked.
process.exitCode = 2
try {
  const { values } = parseArgs({ options: OPTIONS })
  const { base, head, workspace, keys, summary, 'require-trailers': requireTrailers } = values
  if (base === undefined) throw new Error('Say what the pull request goes to: --base origin/main')
  const report = await checkLedger({ cwd: process.cwd(), base, head, workspace, keys, requireTrailers })
  const text = renderSummary(report)
  process.stdout.write(text)
  if (summary !== undefined) appendFileSync(summary, text)
  process.exitCode = report.problems.length === 0 ? 0 : 1
} catch (error) {
  process.stderr.write(`The pull request could not be checked: ${error instanceof Error ? error.message : error}\n`)
}
