import { describe, expect, it } from 'vitest'
import { CALLS, callsOf, type Op, runDir } from '../../bench/agent/mix.js'
import { namesOf } from '../../bench/places.js'

describe('the calls of an agent', () => {
  const calls = callsOf(1_000, 3)
  const count = (wanted: Op) => calls.filter(({ op }) => op === wanted).length

  it('have the stated number and the published shares', () => {
    expect(calls).toHaveLength(CALLS)
    expect([count('lstat'), count('stat'), count('create')]).toEqual([0.57, 0.15, 0.13].map((share) => share * CALLS))
  })

  it("are the same for all participants, and create files in the run's directory", () => {
    expect(callsOf(1_000, 3)).toEqual(calls)
    const created = new Set(calls.filter(({ op }) => op === 'create').map(({ path }) => path))
    expect(created.size).toBe(count('create'))
    expect([...created].every((path) => path.startsWith(`${runDir(3)}/`))).toBe(true)
    expect(callsOf(1_000, 4).some(({ path }) => created.has(path))).toBe(false)
  })

  it('use existing files: those of the tree, and those that the run created before', () => {
    const there = new Set(namesOf('src', 1_000, 100))
    const dirs = new Set([...there].map((path) => path.slice(0, path.lastIndexOf('/'))))
    for (const { op, path } of calls) {
      if (op === 'create') there.add(path)
      else expect([op, path, op === 'readdir' ? dirs.has(path) : there.has(path)]).toEqual([op, path, true])
      if (op === 'unlink') {
        expect(path.startsWith(runDir(3))).toBe(true)
        there.delete(path)
      }
    }
  })
})
