import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatNote, mergeNotes, parseNote, renewNote } from '../../src/core/note-text.js'

const COMMIT = 'a'.repeat(40)
const ABOUT = { schema_version: 'authorship/3.0.0', base_commit_sha: COMMIT, prompts: {} }
const noteOf = (files: Record<string, Record<string, string>>, about: object = {}) =>
  [
    ...Object.entries(files).flatMap(([path, owners]) => [
      path,
      ...Object.entries(owners).map(([owner, ranges]) => `  ${owner} ${ranges}`),
    ]),
    '---',
    `${JSON.stringify({ ...ABOUT, ...about })}\n`,
  ].join('\n')

describe('the text of a note', () => {
  it('is read as git-ai writes it: prompts or sessions, quoted paths, JSON over several lines', () => {
    const text = `src/a.rs\n  d9978a8723e02b52 1-4,9\n"my file.rs"\n  s_a::t_b 2\n---\n${JSON.stringify(ABOUT, undefined, 2)}`
    const note = parseNote(text)
    expect([...(note?.files ?? [])]).toEqual([
      [
        'src/a.rs',
        [
          {
            owner: 'd9978a8723e02b52',
            ranges: [
              [1, 4],
              [9, 9],
            ],
          },
        ],
      ],
      ['my file.rs', [{ owner: 's_a::t_b', ranges: [[2, 2]] }]],
    ])
  })

  it.each([
    ['no divider', 'a.ts\n  s_a 1\n'],
    ['another version', noteOf({}, { schema_version: 'authorship/2.0.0' })],
    ['no JSON', 'a.ts\n  s_a 1\n---\n{'],
    ['a range that ends before it begins', noteOf({ 'a.ts': { s_a: '4-2' } })],
    ['line 0', noteOf({ 'a.ts': { s_a: '0' } })],
    ['lines without a file', `  s_a 1\n---\n${JSON.stringify(ABOUT)}`],
    ['two notes in one', `${noteOf({ 'a.ts': { s_a: '1' } })}${noteOf({ 'a.ts': { s_b: '1' } })}`],
  ])('is not a note with %s', (_, text) => {
    expect(parseNote(text)).toBeUndefined()
  })

  it('has odd paths in quotes, and reads them again', () => {
    const files = new Map(
      ['a b', '"q"', '---', 'tab\there', 'é', '  s_x 1'].map((path) => [
        path,
        [{ owner: 's_a', ranges: [[1, 1] as const] }],
      ]),
    )
    expect(parseNote(formatNote({ files, about: ABOUT }))?.files).toEqual(files)
  })
})

describe('the merge of two notes of a commit', () => {
  it('has the lines, sessions and people of both', () => {
    const one = noteOf({ 'a.ts': { s_a: '1-3' } }, { sessions: { s_a: { n: 1 } } })
    const other = noteOf(
      { 'a.ts': { s_a: '3-5', h_b: '7' }, 'b.ts': { s_c: '1' } },
      { humans: { h_b: { author: 'B' } } },
    )
    expect(mergeNotes(COMMIT, one, other)).toBe(
      formatNote({
        files: new Map([
          [
            'a.ts',
            [
              { owner: 'h_b', ranges: [[7, 7]] },
              { owner: 's_a', ranges: [[1, 5]] },
            ],
          ],
          ['b.ts', [{ owner: 's_c', ranges: [[1, 1]] }]],
        ]),
        about: {
          base_commit_sha: COMMIT,
          humans: { h_b: { author: 'B' } },
          prompts: {},
          schema_version: 'authorship/3.0.0',
          sessions: { s_a: { n: 1 } },
        },
      }),
    )
  })

  it('prefers a note of the commit to a copy from another, and both to any other text', () => {
    const note = noteOf({ 'a.ts': { s_a: '1' } })
    const copy = noteOf({ 'a.ts': { s_b: '1' } }, { base_commit_sha: 'b'.repeat(40) })
    expect(mergeNotes(COMMIT, copy, note)).toBe(note)
    expect(mergeNotes(COMMIT, 'free text', copy)).toBe(copy)
  })

  const range = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 5 }))
  const ranges = fc.array(range, { minLength: 1, maxLength: 3 })
  const owners = fc.dictionary(fc.constantFrom('s_a::t_1', 's_b::t_2', 'h_c'), ranges, { minKeys: 1 })
  const note = fc
    .tuple(
      fc.dictionary(fc.constantFrom('a.ts', 'b c.ts'), owners),
      fc.dictionary(fc.constantFrom('s_a', 's_b'), fc.constantFrom(1, 2, 'x')),
    )
    .map(([files, sessions]) => {
      const entries = Object.entries(files).map(([path, by]) => {
        const list = Object.entries(by).map(([owner, each]) => ({
          owner,
          ranges: each.map(([first, more]) => [first, first + more] as const),
        }))
        return [path, list] as const
      })
      return formatNote({ files: new Map(entries), about: { ...ABOUT, sessions } })
    })

  it('does not depend on the order, and repeats without a change', () => {
    const merge = (one: string, other: string) => mergeNotes(COMMIT, one, other)
    fc.assert(
      fc.property(note, note, note, (a, b, c) => {
        const both = merge(a, b)
        expect(merge(b, a)).toBe(both)
        expect(merge(both, b)).toBe(both)
        expect(merge(both, c)).toBe(merge(a, merge(b, c)))
      }),
    )
  })
})

it('gives the lines of a renewed note to their new owner, and keeps the others', () => {
  const old = noteOf({ 'a.ts': { s_a: '1-9' } }, { sessions: { s_a: {} } })
  const renewed = noteOf({ 'a.ts': { s_b: '4-5' } }, { sessions: { s_b: {} } })
  expect(parseNote(renewNote(COMMIT, old, renewed))?.files.get('a.ts')).toEqual([
    {
      owner: 's_a',
      ranges: [
        [1, 3],
        [6, 9],
      ],
    },
    { owner: 's_b', ranges: [[4, 5]] },
  ])
  expect(renewNote(COMMIT, renewNote(COMMIT, old, renewed), renewed)).toBe(renewNote(COMMIT, old, renewed))
})

describe('a note that a stranger wrote', () => {
  const note = noteOf({ 'a.ts': { s_a: '2-3' } })
  const nestedJson = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const withExtra = (depth: number) => note.replace('"prompts":{}', `"prompts":{},"x":${nestedJson(depth)}`)

  it('is ignored if its JSON is too deep to be written', () => {
    expect(parseNote(withExtra(50))).toBeDefined()
    const deep = withExtra(200_000)
    expect(parseNote(deep)).toBeUndefined()
    expect([mergeNotes(COMMIT, note, deep), mergeNotes(COMMIT, deep, note)]).toEqual([note, note])
    expect(renewNote(COMMIT, deep, note)).toBe(note)
  })

  it('with 300,000 entries of one owner is merged and renewed', () => {
    // Code that takes quadratic time did not finish 40,000 of them in two minutes.
    const many = note.replace('a.ts\n', `a.ts\n${'  s_b 7\n'.repeat(300_000)}`)
    const merged = noteOf({ 'a.ts': { s_a: '2-3', s_b: '7' } })
    expect(mergeNotes(COMMIT, note, many)).toBe(formatNote(parseNote(merged) ?? { files: new Map(), about: {} }))
    expect(renewNote(COMMIT, many, noteOf({ 'a.ts': { s_c: '7' } }))).toContain('a.ts\n  s_a 2-3\n  s_c 7\n')
  })

  it('keeps exactly the lines that a newer note does not name', () => {
    const ranges = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 6 })), { minLength: 1, maxLength: 8 })
      .map((pairs) => pairs.map(([first, more]) => [first, first + more] as const))
    const text = (all: readonly (readonly [number, number])[]) => all.map((range) => range.join('-')).join(',')
    const linesOf = (all: readonly (readonly [number, number])[]) =>
      new Set(all.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index)))
    fc.assert(
      fc.property(ranges, ranges, (old, fresh) => {
        const renewed = renewNote(
          COMMIT,
          noteOf({ 'a.ts': { s_a: text(old) } }),
          noteOf({ 'a.ts': { s_b: text(fresh) } }),
        )
        const entries = parseNote(renewed)?.files.get('a.ts') ?? []
        const left = linesOf(entries.filter(({ owner }) => owner === 's_a').flatMap((each) => each.ranges))
        const fileLines = linesOf(fresh)
        expect([...left].sort()).toEqual([...linesOf(old)].filter((line) => !fileLines.has(line)).sort())
      }),
    )
  })
})
