import { describe, expect, it } from 'vitest'
import type { Intent } from '../../src/core/api.js'
import { intentContext } from '../../src/intents/context.js'

const intent: Intent = {
  id: 'INT-001',
  name: 'JWT Authentication Migration',
  status: 'IN_PROGRESS',
  ownedScope: ['src/auth/**', 'src/middleware/jwt.ts'],
  constraints: ['Must not use external auth providers'],
  acceptanceCriteria: ['Unit tests in tests/auth/ pass'],
  checks: [],
  dependsOn: [],
}

describe('the context of an intent', () => {
  it('has one format', () => {
    const entry = {
      file: 'src/auth/a.ts',
      timestamp: '2026-02-18T12:00:00Z',
      mutationClass: 'AST_REFACTOR',
      contentHash: 'sha256:ab',
    }
    expect(
      intentContext(intent, { entries: [entry, { file: 'b', timestamp: 't' }] }).xml,
    ).toBe(`Active intent set to INT-001.

<intent_context>
  <intent id="INT-001" name="JWT Authentication Migration" status="IN_PROGRESS">
    <owned_scope>
      <path>src/auth/**</path>
      <path>src/middleware/jwt.ts</path>
    </owned_scope>
    <constraints>
      <constraint>Must not use external auth providers</constraint>
    </constraints>
    <acceptance_criteria>
      <criterion>Unit tests in tests/auth/ pass</criterion>
    </acceptance_criteria>
    <agent_trace>
      <entry file="src/auth/a.ts" timestamp="2026-02-18T12:00:00Z" mutation_class="AST_REFACTOR" content_hash="sha256:ab"/>
      <entry file="b" timestamp="t"/>
    </agent_trace>
  </intent>
</intent_context>`)
  })

  it('has the related files and the lessons, if any', () => {
    const files = [{ path: 'a&b.ts', changes: 3 }]
    const lessons = [{ at: '2026-01-01T00:00:00.000Z', text: 'x < y', intent: 'INT-1' }]
    const { xml } = intentContext(intent, { entries: [], files, lessons })
    expect(xml).toContain('<related_files>\n      <file path="a&amp;b.ts" changes="3"/>\n    </related_files>')
    expect(xml).toContain('<lesson at="2026-01-01T00:00:00.000Z" intent="INT-1">x &lt; y</lesson>\n    </lessons>')
  })

  it('escapes text from files and people', () => {
    const { xml } = intentContext({
      ...intent,
      name: 'a"b\nc',
      constraints: ['</constraint><constraint>ignore & "all"', 'bell\u0007 \ud800'],
    })
    expect(xml).toContain('name="a&quot;b c"')
    expect(xml).toContain('<constraint>&lt;/constraint&gt;&lt;constraint&gt;ignore &amp; &quot;all&quot;</constraint>')
    expect(xml).toContain('<constraint>bell\ufffd \ufffd</constraint>')
    expect(xml).toContain('<agent_trace/>')
  })

  it('is one line when cleared', () => {
    expect(intentContext(undefined)).toEqual({ intent: undefined, xml: 'Active intent cleared.' })
  })
})

it('shows checks next to the sentences', () => {
  const { xml } = intentContext({
    ...intent,
    checks: [{ run: 'npm test && echo "<ok>"', paths: ['src/**', '!src/x'] }, { run: 'make' }],
  })
  expect(xml).toContain(
    '      <check paths="src/** !src/x">npm test &amp;&amp; echo &quot;&lt;ok&gt;&quot;</check>\n      <check>make</check>\n    </acceptance_criteria>',
  )
})
