import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mayContain, mayHaveChanges } from '../../src/trace/line-words.js'
import { testWorkspace } from '../support/workspace.js'
import { fileOf, sha } from './support.js'

const OWN = 'dev.escrowfs'

/** Another spelling of a JSON text: a space after each token, and letters of strings as escapes. */
function respell(json: string, isEscaped: (at: number) => boolean): string {
  const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (token, index: number) => {
    if (!token.startsWith('"')) return `${token} `
    return token.replace(/\\.|[^"\\]/g, (part, n: number) =>
      part.length === 1 && isEscaped(index + n) ? escapeCharacter(part) : part,
    )
  })
}

it('finds a text in any spelling, and changed lines', () => {
  const line = fc.record({ id: fc.string(), changes: fc.array(fc.record({ path: fc.string() }), { maxLength: 2 }) })
  fc.assert(
    fc.property(line, fc.array(fc.boolean(), { minLength: 1 }), (value, escaped) => {
      const text = respell(JSON.stringify(value), (at) => escaped[at % escaped.length] === true)
      expect(JSON.parse(text)).toEqual(value)
      expect(mayContain(Buffer.from(text), JSON.stringify(value.id))).toBe(true)
      if (value.changes.length > 0) expect(mayHaveChanges(Buffer.from(text))).toBe(true)
    }),
  )
})

it('skips the lines that our writer spelled and that have no such text', () => {
  const line = Buffer.from(JSON.stringify({ type: 'denied', changes: [], words: '"changes":[{' }))
  expect([mayHaveChanges(line), mayContain(line, '"commit"'), mayContain(line, '"denied"')]).toEqual([
    ...[false, false, true],
  ])
})

it.each([
  ['with spaces', () => false],
  ['with escapes', () => true],
])('a ledger that somebody spelled %s has the same authors and states for all readers', async (_, isEscaped) => {
  const project = testWorkspace({ 'src/a.ts': 'one\n' })
  const workspace = await project.open()
  const session = await workspace.session({ id: 'agent', agent: { model: 'm-1', tool: 'tester' } })
  await session.selectIntent('INT-001')
  session.fs.writeFileSync('src/a.ts', 'export const value = compute(alphabet)\n')
  await session.close()
  const review = await workspace.review('agent')
  await review.approve(undefined, { name: 'Ann' })
  await review.commit()
  const read = async () => ({
    blame: await workspace.ledger.blame('src/a.ts'),
    stats: await workspace.ledger.stats(),
    csv: await workspace.ledger.export('csv'),
    history: await workspace.intents.history('INT-001'),
  })
  const [before, file] = [await read(), `${project.root}/.orchestration/agent_trace.jsonl`]
  const spelled: string[] = []
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const record = JSON.parse(line)
    const last = spelled.at(-1)
    record.metadata[OWN].prev = last === undefined ? null : sha(last)
    spelled.push(respell(JSON.stringify(record), isEscaped))
  }
  writeFileSync(file, fileOf(spelled))
  const mark = (lines: typeof before.blame) => lines.map(({ unanchored: _, ...line }) => line)
  const after = await read()
  expect({ ...after, blame: mark(after.blame) }).toEqual(before)
})
