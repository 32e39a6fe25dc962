import { readFileSync } from 'node:fs'
import { isObject } from '../../src/core/is-object.js'
import { TRACE_TYPES } from '../../src/trace/own-record.js'
import { code, table } from './markdown.js'
import { REPOSITORY } from './sources.js'

/** The fields of each kind of record, from the examples in docs/trace-schema.md. */

/** Fields that every record has. */
const COMMON = ['ledger', 'seq', 'prev', 'type', 'intent', 'verdict', 'tx', 'changes']

export function recordKindsTable(): string {
  const records = readExamples()
  const rows = TRACE_TYPES.map((type) => {
    const own = records.filter((each) => each.type === type)
    const fields = new Set(own.flatMap((each) => Object.keys(each)).filter((name) => !COMMON.includes(name)))
    return [code(type), [...fields].sort().map(code).join(', ')]
  })
  return table(['kind', 'fields in addition to those of every record'], rows)
}

function readExamples(): Record<string, unknown>[] {
  const text = readFileSync(`${REPOSITORY}/docs/trace-schema.md`, 'utf8')
  return [...text.matchAll(/^```jsonl\n([\s\S]*?)^```$/gm)].flatMap(([, lines = '']) => {
    const record: unknown = JSON.parse(lines.replaceAll('\n', ''))
    const metadata = isObject(record) && isObject(record.metadata) ? record.metadata['dev.escrowfs'] : undefined
    return isObject(metadata) ? [metadata] : []
  })
}
