#!/usr/bin/env node
// Checks a pull request against its ledger: node check.mjs --base origin/main. README.md describes what this proves.
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

// 0: passed. 1: failed. 2: could not be checked.
process.exitCode = 2
try {
  const { values } = parseArgs({ options: OPTIONS })
  const { base, head, workspace, keys, summary, 'require-trailers': requireTrailers } = values
  if (base === undefined) throw new Error('Name the target branch of the pull request: --base origin/main')
  const report = await checkLedger({ cwd: process.cwd(), base, head, workspace, keys, requireTrailers })
  const text = renderSummary(report)
  process.stdout.write(text)
  if (summary !== undefined) appendFileSync(summary, text)
  process.exitCode = report.problems.length === 0 ? 0 : 1
} catch (error) {
  process.stderr.write(`The pull request could not be checked: ${error instanceof Error ? error.message : error}\n`)
}
