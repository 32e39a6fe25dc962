import { describe, expect, it } from 'vitest'
import { CALLS, callsOf, madeDir, type Op } from '../../bench/agent/mix.js'
import { namesOf } from '../../bench/places.js'

describe('the calls of an agent', () => {
  const calls = callsOf(1_000, 3)
  const count = (wanted: Op) => calls.filter(({ op }) => op === wanted).length

  it('are as many as said, in the shares that were published', () => {
    expect(calls).toHaveLength(CALLS)
    expect([count('lstat'), count('stat'), count('create')]).toEqual([0.57, 0.15, 0.13].map((share) => share * CALLS))
  })

  it('are the same for everyone, and make their files in a place of their run', () => {
    expect(callsOf(1_000, 3)).toEqual(calls)
    const made = new Set(calls.filter(({ op }) => op === 'create').map(({ path }) => path))
    expect(made.size).toBe(count('create'))
    expect([...made].every((path) => path.startsWith(`${madeDir(3)}/`))).toBe(true)
    expect(callsOf(1_000, 4).some(({ path }) => made.has(path))).toBe(false)
  })

  it('find what they look for: files of the tree, and what the run made before', () => {
    const there = new Set(namesOf('src', 1_000, 100))
    const dirs = new Set([...there].map((path) => path.slice(0, path.lastIndexOf('/'))))
    for (const { op, path } of calls) {
      if (op === 'create') there.add(path)
      else expect([op, path, op === 'readdir' ? dirs.has(path) : there.has(path)]).toEqual([op, path, true])
      if (op === 'unlink') {
        expect(path.startsWith(madeDir(3))).toBe(true)
        there.delete(path)
      }
    }
  })
})
