import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/core/is-object.js'
import type { RecordDraft } from '../../src/trace/draft-schema.js'
import { OWN, TRACE_TYPES } from '../../src/trace/own-record.js'
import { buildRecord } from '../../src/trace/record.js'
import { validateTrace } from '../support/trace-schema.js'
import { draftOf } from './support.js'

const CHAIN = { ledger: '5b0c7f5e-6f43-4f6f-9a51-0f6f6f0c9c11', seq: 1, prev: null }
const GIT = { type: 'git', revision: 'a'.repeat(40) } as const

function ownOf(record: Record<string, unknown>): Record<string, unknown> {
  const metadata = isObject(record.metadata) ? record.metadata : {}
  return isObject(metadata[OWN]) ? metadata[OWN] : {}
}

const text = fc.string({ unit: 'binary', maxLength: 300 })
const contributor = fc.constantFrom('ai', 'human', 'mixed', 'unknown')
const range = fc.record(
  { startLine: fc.integer({ min: 1 }), endLine: fc.integer({ min: 1 }), contentHash: text, contributor },
  { requiredKeys: ['startLine', 'endLine', 'contentHash'] },
)
const file = fc.record(
  {
    path: text,
    ranges: fc.array(range, { maxLength: 3 }),
    contributor,
    model: text,
    intent: fc.option(text),
    mutationClass: fc.constantFrom('AST_REFACTOR', 'INTENT_EVOLUTION'),
  },
  { requiredKeys: ['path', 'ranges'] },
)
const drafts: fc.Arbitrary<RecordDraft> = fc.record(
  {
    id: fc.uuid(),
    timestamp: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
      .map((d) => d.toISOString()),
    type: fc.constantFrom(...TRACE_TYPES),
    intent: fc.option(text),
    session: fc.option(text),
    agent: fc.record(
      { model: text, tool: text, toolVersion: text, conversation: fc.oneof(text, fc.webUrl(), fc.constant('a:b|c')) },
      { requiredKeys: [] },
    ),
    reqId: fc.option(text),
    files: fc.array(file, { maxLength: 3 }),
    changes: fc.array(fc.record({ path: text, before: fc.option(text), after: fc.option(text) }), { maxLength: 3 }),
    tx: text,
    verdict: fc.constantFrom('approved', 'rejected'),
    reason: text,
    words: text,
    reviewer: fc.record({ name: text }),
    data: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null)), { maxKeys: 3 }),
  },
  { requiredKeys: ['id', 'timestamp', 'type', 'intent', 'session', 'reqId', 'files', 'changes'] },
)

describe('buildRecord', () => {
  it('makes valid Agent Trace 0.1.0 from any draft', () => {
    fc.assert(
      fc.property(drafts, fc.boolean(), (draft, git) => {
        const record: unknown = JSON.parse(JSON.stringify(buildRecord(draft, CHAIN, git ? GIT : undefined)))
        expect(validateTrace(record)).toBe('')
      }),
      { numRuns: 400 },
    )
  })

  it.each(TRACE_TYPES)('is valid and keeps its type: %s', (type) => {
    const record = buildRecord(draftOf({ type }), CHAIN, GIT)
    expect(validateTrace(record)).toBe('')
    expect(ownOf(record)).toMatchObject({ ...CHAIN, type, intent: 'INT-001', verdict: null, tx: null, changes: [] })
  })

  it('has the fields of Agent Trace and the older ones', () => {
    const contentHash = `sha256:${'0'.repeat(64)}`
    const record = buildRecord(
      draftOf({
        type: 'commit',
        reqId: 'REQ-9',
        agent: { model: 'anthropic/claude', tool: 'roo-code', toolVersion: '3.1' },
        files: [
          { path: 'src/a.ts', ranges: [{ startLine: 2, endLine: 4, contentHash }], mutationClass: 'AST_REFACTOR' },
          { path: 'src/b.ts', ranges: [], mutationClass: 'INTENT_EVOLUTION', contributor: 'human' },
        ],
        changes: [{ path: 'src/a.ts', before: null, after: contentHash, from: 'src/old.ts' }],
        tx: 'tx-1',
        approvedBy: ['Ada'],
      }),
      CHAIN,
      GIT,
    )
    const ranges = [{ start_line: 2, end_line: 4, content_hash: contentHash }]
    const related = [{ type: 'specification', url: 'intent:INT-001', value: 'INT-001' }]
    const ai = { type: 'ai', model_id: 'anthropic/claude', entity_type: 'AI', model_identifier: 'anthropic/claude' }
    expect(record).toMatchObject({
      version: '0.1.0',
      vcs: { type: 'git', revision: GIT.revision, revision_id: GIT.revision },
      tool: { name: 'roo-code', version: '3.1' },
      intent_id: 'INT-001',
      session_id: 'task-1',
      req_id: 'REQ-9',
      mutation_class: 'INTENT_EVOLUTION',
    })
    expect(record.files).toEqual([
      {
        path: 'src/a.ts',
        relative_path: 'src/a.ts',
        mutation_class: 'AST_REFACTOR',
        contributor: ai,
        ranges,
        related,
        conversations: [{ url: 'escrow:session/task-1', contributor: ai, ranges, related }],
      },
      expect.objectContaining({ contributor: { type: 'human', entity_type: 'HUMAN', model_identifier: null } }),
    ])
    expect(ownOf(record)).toMatchObject({
      tx: 'tx-1',
      approved_by: ['Ada'],
      agent: { model: 'anthropic/claude', tool: 'roo-code', tool_version: '3.1' },
      changes: [{ path: 'src/a.ts', before: null, after: contentHash, from: 'src/old.ts' }],
    })
  })

  it('sets older fields without a value to null, and omits vcs', () => {
    const record = buildRecord(
      draftOf({ intent: null, session: null, files: [{ path: 'a', ranges: [] }] }),
      CHAIN,
      undefined,
    )
    expect(record).toMatchObject({ intent_id: null, session_id: null, req_id: null, mutation_class: null })
    expect(record).not.toHaveProperty('vcs')
    expect(record.files).toMatchObject([{ related: [], contributor: { type: 'ai', model_identifier: null } }])
    expect(validateTrace(record)).toBe('')
  })

  it("uses the agent's own conversation URL, and only a valid one", () => {
    const urlOf = (conversation: string): unknown => {
      const record = buildRecord(draftOf({ agent: { conversation }, files: [{ path: 'a', ranges: [] }] }), CHAIN, GIT)
      expect(validateTrace(record)).toBe('')
      return JSON.stringify(record.files)
    }
    expect(urlOf('https://chat.example/c/1?a=b#c')).toContain('"url":"https://chat.example/c/1?a=b#c"')
    expect(urlOf('not a url')).toContain('"url":"escrow:session/task-1"')
  })

  it('has the reason and path of a denial, and a reviewer’s comment', () => {
    const denied = buildRecord(draftOf({ type: 'denied', reason: 'scope_violation', path: 'b.ts' }), CHAIN, GIT)
    expect(ownOf(denied)).toMatchObject({ reason: 'scope_violation', path: 'b.ts' })
    const reviewer = { name: 'Ada', email: 'ada@example.org' }
    const spoken = draftOf({ type: 'verdict', verdict: 'rejected', paths: ['a.ts'], words: 'No.', reviewer })
    expect(ownOf(buildRecord(spoken, CHAIN, GIT))).toMatchObject({
      verdict: 'rejected',
      paths: ['a.ts'],
      words: 'No.',
      reviewer,
    })
  })

  it('does not let extra data replace the fields of the chain', () => {
    const record = buildRecord(draftOf({ data: { seq: 99, prev: 'x', note: 'kept' } }), CHAIN, GIT)
    expect(ownOf(record)).toMatchObject({ seq: 1, prev: null, note: 'kept' })
  })

  it.each([{ id: 'nope' }, { timestamp: 'yesterday' }, { timestamp: '+275760-01-01T00:00:00.000Z' }])(
    'refuses %o by name',
    (wrong) => {
      expect(() => buildRecord(draftOf(wrong), CHAIN, GIT)).toThrow(
        expect.objectContaining({ reason: 'ledger_unavailable' }),
      )
    },
  )
})
