import { describe, expect, it } from 'vitest'
import type { Selection } from '../../src/core/api.js'
import { type Selectable, select } from '../../src/review/selection.js'

const of = { root: '/w', sessionId: 's1' }
const bare = (path: string): Selectable => ({ path, calls: [], hunks: [], divisible: false })
const changes = ['src/a.ts', 'src/[id].tsx', 'src/d/b.ts', '.env', 'README.md'].map(bare)
const pick = (selection: Selection) => select(selection, changes, of).map(({ change }) => change.path)

describe('select', () => {
  it('selects a path, a list, or paths by name, in the order of the changes', () => {
    expect(pick('README.md')).toEqual(['README.md'])
    expect(pick(['README.md', 'src/a.ts', 'src/a.ts'])).toEqual(['src/a.ts', 'README.md'])
    expect(pick({ paths: ['.env'] })).toEqual(['.env'])
  })

  it('accepts paths under the root and with a leading ./', () => {
    expect(pick(['/w/src/a.ts', './README.md'])).toEqual(['src/a.ts', 'README.md'])
  })

  it('accepts globs, hidden files included', () => {
    expect(pick('src/*.ts')).toEqual(['src/a.ts'])
    expect(pick('src/**')).toEqual(['src/a.ts', 'src/[id].tsx', 'src/d/b.ts'])
    expect(pick('**/*.{ts,md}')).toEqual(['src/a.ts', 'src/d/b.ts', 'README.md'])
    expect(pick('**')).toHaveLength(changes.length)
    expect(pick('/w/src/**')).toHaveLength(3)
  })

  it('reads a name as a path before it reads it as a glob', () => {
    const both = [bare('src/[id].tsx'), bare('src/i.tsx')]
    expect(select('src/[id].tsx', both, of)).toEqual([{ change: both[0] }])
    expect(select('src/[i].tsx', both, of)).toEqual([{ change: both[1] }])
  })

  it('refuses a name that matches nothing, and selects none of the rest', () => {
    const wrong: Selection[] = ['src', 'x', '', '!x', '../w/.env', '/other/.env', [], {}, { paths: [] }, ['.env', 'x']]
    for (const selection of wrong) {
      expect(() => pick(selection), JSON.stringify(selection)).toThrow(
        expect.objectContaining({ name: 'EscrowError', reason: 'nothing_selected' }),
      )
    }
    expect(() => pick(['.env', 'x'])).toThrow("No staged change of session 's1' matches 'x'.")
    const hint = "For the changes below it, give 'src/**'."
    for (const typed of ['src', 'src/']) expect(() => pick([typed])).toThrow(expect.objectContaining({ hint }))
  })

  const parts = (path: string, ids: string[], calls: string[] = [], divisible = true): Selectable => {
    return { path, calls, divisible, hunks: ids.map((id, index) => ({ id, start: index, lines: 1 })) }
  }
  const divided = [
    parts('a', ['h1', 'h2'], ['c1', 'c2']),
    parts('b', ['h3'], ['c2']),
    parts('c', ['h4'], ['c3'], false),
  ]
  const selectIds = (selection: Selection) =>
    select(selection, divided, of).map(({ change, hunks }) => [change.path, hunks?.map(({ id }) => id)])

  it('selects hunks by id, in their own order, and the whole if a change cannot be divided', () => {
    expect(selectIds({ hunks: ['h3', 'h2', 'h1'] })).toEqual([
      ['a', ['h1', 'h2']],
      ['b', ['h3']],
    ])
    expect(selectIds({ hunks: ['h2', 'h4'] })).toEqual([
      ['a', ['h2']],
      ['c', undefined],
    ])
    expect(selectIds({ paths: ['a'], hunks: ['h2'] })).toEqual([['a', undefined]])
  })

  it('accepts very many, by path and by hunk', { timeout: 30_000 }, () => {
    const many = Array.from({ length: 100_000 }, (_, n) => parts(`f${n}`, [`h${n}`], [`c${n}`]))
    const all = (key: 'paths' | 'hunks' | 'calls', mark: string) => ({ [key]: many.map((_, n) => `${mark}${n}`) })
    for (const selection of [all('paths', 'f'), all('hunks', 'h'), all('calls', 'c')])
      expect(select(selection, many, of)).toHaveLength(many.length)
  })

  it('refuses a missing hunk, and selects none of the others', () => {
    expect(() => selectIds({ hunks: ['h1', 'h9'] })).toThrow(
      expect.objectContaining({ reason: 'nothing_selected', message: expect.stringContaining("the hunk 'h9'") }),
    )
  })

  it('selects the writes of tool calls', () => {
    expect(selectIds({ calls: ['c2', 'c1'] })).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
    expect(selectIds({ calls: ['c3'], hunks: ['h1'] })).toEqual([
      ['a', ['h1']],
      ['c', undefined],
    ])
    expect(() => selectIds({ calls: ['c3', 'c9'] })).toThrow(
      expect.objectContaining({ reason: 'nothing_selected', message: expect.stringContaining("the tool call 'c9'") }),
    )
  })

  it('refuses a path that another call wrote too, and names that call', () => {
    expect(() => selectIds({ calls: ['c2'] })).toThrow(
      expect.objectContaining({ reason: 'unsupported', refused: [expect.objectContaining({ path: 'a' })] }),
    )
  })
})
