import { describe, expect, it } from 'vitest'
import type { Selection } from '../../src/core/api.js'
import { select } from '../../src/review/selection.js'

const of = { root: '/w', sessionId: 's1' }
const changes = ['src/a.ts', 'src/[id].tsx', 'src/d/b.ts', '.env', 'README.md'].map((path) => ({ path }))
const pick = (selection: Selection) => select(selection, changes, of).map(({ path }) => path)

describe('select', () => {
  it('takes a path, a list, or paths by name, in the order of the changes', () => {
    expect(pick('README.md')).toEqual(['README.md'])
    expect(pick(['README.md', 'src/a.ts', 'src/a.ts'])).toEqual(['src/a.ts', 'README.md'])
    expect(pick({ paths: ['.env'] })).toEqual(['.env'])
  })

  it('takes paths under the root and with a dot first', () => {
    expect(pick(['/w/src/a.ts', './README.md'])).toEqual(['src/a.ts', 'README.md'])
  })

  it('takes globs, hidden files included', () => {
    expect(pick('src/*.ts')).toEqual(['src/a.ts'])
    expect(pick('src/**')).toEqual(['src/a.ts', 'src/[id].tsx', 'src/d/b.ts'])
    expect(pick('**/*.{ts,md}')).toEqual(['src/a.ts', 'src/d/b.ts', 'README.md'])
    expect(pick('**')).toHaveLength(changes.length)
    expect(pick('/w/src/**')).toHaveLength(3)
  })

  it('reads a name as a path before it reads it as a glob', () => {
    const both = [{ path: 'src/[id].tsx' }, { path: 'src/i.tsx' }]
    expect(select('src/[id].tsx', both, of)).toEqual([both[0]])
    expect(select('src/[i].tsx', both, of)).toEqual([both[1]])
  })

  it('refuses what names nothing, and takes nothing of the rest', () => {
    const wrong: Selection[] = ['src', 'x', '', '!x', '../w/.env', '/other/.env', [], {}, { paths: [] }, ['.env', 'x']]
    for (const selection of wrong) {
      expect(() => pick(selection), JSON.stringify(selection)).toThrow(
        expect.objectContaining({ name: 'EscrowError', reason: 'nothing_selected' }),
      )
    }
    expect(() => pick(['.env', 'x'])).toThrow("No staged change of session 's1' matches 'x'.")
  })

  it('refuses hunks and tool calls by name, even beside paths', () => {
    for (const selection of [{ hunks: [] }, { calls: ['1'] }, { paths: ['.env'], hunks: ['h_1'] }]) {
      expect(() => pick(selection)).toThrow(expect.objectContaining({ reason: 'unsupported' }))
    }
  })
})
