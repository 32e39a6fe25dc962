import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openLedger } from '../../src/trace/ledger.js'
import { TRACE_TYPES } from '../../src/trace/own-record.js'
import { validateTrace } from '../support/trace-schema.js'
import { metadataOf, workspaces } from '../trace/support.js'
import { project } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/trace-schema.md`, 'utf8')
const lines = blocksOf(text).map((block) => block.text.replaceAll('\n', ''))

describe('docs/trace-schema.md', () => {
  const workspace = workspaces()

  it('has a record of each kind under its name', () => {
    expect([...new Set(lines.map((line) => metadataOf(line).type))].sort()).toEqual([...TRACE_TYPES].sort())
    const sections = text.split(/^## /m).filter((section) => section.startsWith('`'))
    for (const section of sections) {
      const kind = /^`(\w+)`/.exec(section)?.[1]
      expect([kind, blocksOf(section).map((block) => metadataOf(block.text.replaceAll('\n', '')).type)[0]]).toEqual([
        kind,
        kind,
      ])
    }
  })

  it('shows valid Agent Trace lines that form one ledger', async () => {
    expect(lines.map((line) => validateTrace(JSON.parse(line))).filter((errors) => errors !== '')).toEqual([])
    const layout = workspace()
    fs.writeFileSync(`${layout.ledgerFile}`, lines.map((line) => `${line}\n`).join(''))
    expect(await openLedger(layout).verify()).toMatchObject({ ok: true, records: lines.length })
    fs.writeFileSync(`${layout.ledgerFile}`, `${lines.join('\n')}\n`.replace('some-model', 'other'))
    expect(await openLedger(layout).verify()).toMatchObject({ ok: false })
  })

  it('lists every field', () => {
    const named = new Set([...text.matchAll(/`(\w+)`/g)].map((match) => match[1]))
    const fields = lines.flatMap((line) => [...Object.keys(JSON.parse(line)), ...Object.keys(metadataOf(line))])
    expect([...new Set(fields)].filter((field) => field !== 'metadata' && !named.has(field))).toEqual([])
  })
})
