import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { KEPT_PLANS } from '../../src/commit/journal.js'
import { COMPARE_LIMIT, EDIT_LIMIT, SHOW_LIMIT } from '../../src/review/diff.js'
import { MOST_TOLD } from '../../src/terminal/index.js'
import { MAX_BYTES } from '../../src/trace/classify/classify.js'
import { MAX_LINE } from '../../src/trace/lines.js'

const number = (value: number) => value.toLocaleString('en')
const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`

it.each([
  ['a file compared line by line', `${mebibytes(COMPARE_LIMIT)} a side, ${number(EDIT_LIMIT)} changed lines`],
  ['a file shown at all', `${mebibytes(SHOW_LIMIT)} a side`],
  ['the class of a change', `${MAX_BYTES / 1024} KiB a side`],
  ['a record of the ledger', mebibytes(MAX_LINE)],
  ['refusals told from inside a mount', number(MOST_TOLD)],
  ['plans of commits that are kept', number(KEPT_PLANS)],
])('the limit of %s is what the manual says', (what, much) => {
  const text = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8')
  const row = text.split('\n').find((line) => line.startsWith(`| ${what} `))
  expect(row?.split('|')[2]?.trim().startsWith(much)).toBe(true)
})
