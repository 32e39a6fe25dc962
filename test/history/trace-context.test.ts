import { describe, expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }

describe('the memory of an intent', () => {
  it('has its newest changes, its most changed files, and lessons, its own first', async () => {
    const project = testWorkspace({
      'src/x.ts': '',
      'CLAUDE.md':
        '## Lesson Learned (2026-01-01T00:00:00.000Z)\n\nOld.\n\n**Context:** (for INT-001)\n\n---\n' +
        '## Lesson Learned (2026-01-02T00:00:00.000Z)\n\nOther.\n\n---\n',
    })
    const workspace = await project.open()
    for (const [turn, path] of ['src/a.ts', 'src/b.ts', 'src/a.ts'].entries()) {
      const session = await startSession(workspace, `s${turn}`)
      session.fs.writeFileSync(path, `line ${turn}\n`)
      await session.close()
      const review = await workspace.review(`s${turn}`)
      await review.approve(undefined, ANN)
      await review.commit()
    }
    const { xml } = await (await workspace.session({ id: 'last' })).selectIntent('INT-001')
    expect([...xml.matchAll(/<entry file="([^"]*)"/g)].map(([, path]) => path)).toEqual([
      'src/a.ts',
      'src/b.ts',
      'src/a.ts',
    ])
    expect(xml).toMatch(/<file path="src\/a.ts" changes="2"\/>\s+<file path="src\/b.ts" changes="1"\/>/)
    expect(xml).toMatch(/intent="INT-001">Old\.<\/lesson>\s+<lesson at="[^"]*">Other\.<\/lesson>/)
  })

  it('stays within its limit of bytes, and reads older lines', async () => {
    const flat = (n: number) => ({ intentId: 'INT-001', file: `src/${n}.ts`, timestamp: 't', content_hash: 'sha256:0' })
    const lessons = Array.from(
      { length: 50 },
      (_, n) => `## Lesson Learned (2026-01-01T00:00:00.000Z)\n\n${n} ${'words '.repeat(200)}\n\n---\n`,
    )
    const project = testWorkspace({
      'CLAUDE.md': lessons.join(''),
      '.orchestration/agent_trace.jsonl': Array.from({ length: 30 }, (_, n) => `${JSON.stringify(flat(n))}\n`).join(''),
    })
    const { xml } = await (await (await project.open()).session({ id: 'one' })).selectIntent('INT-001')
    expect(xml.match(/<entry /g)).toHaveLength(10)
    expect(xml).toContain('<entry file="src/29.ts" timestamp="t" content_hash="sha256:0"/>')
    expect(xml.match(/<file /g)).toHaveLength(20)
    expect(xml).toContain('>49 words')
    expect(xml.length).toBeLessThan(10 * 1024)
  })
})
