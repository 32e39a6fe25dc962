import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SharedMap } from '../../overlay/shared-map.js'

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant('set' as const), key: fc.nat(90), value: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), key: fc.nat(90) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('fork' as const) }) },
)

const sortEntries = (map: Iterable<[string, number]>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

describe('a shared map', () => {
  it('behaves as a Map, and every copy keeps its entries', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        let map = new SharedMap<number>({})
        let model = new Map<string, number>()
        const left: [SharedMap<number>, Map<string, number>][] = []
        for (const each of steps) {
          if (each.op === 'set') {
            map.set(`k${each.key}`, each.value)
            model.set(`k${each.key}`, each.value)
          } else if (each.op === 'delete') {
            expect(map.delete(`k${each.key}`)).toBe(model.delete(`k${each.key}`))
          } else {
            left.push([map, model])
            map = map.fork({})
            model = new Map(model)
          }
        }
        for (const [shared, plain] of [...left, [map, model] as const]) {
          expect(shared.size).toBe(plain.size)
          expect(sortEntries(shared)).toEqual(sortEntries(plain))
          for (let key = 0; key <= 90; key++) {
            expect(shared.get(`k${key}`)).toBe(plain.get(`k${key}`))
            expect(shared.has(`k${key}`)).toBe(plain.has(`k${key}`))
          }
          expect([...shared.keys()].sort()).toEqual([...plain.keys()].sort())
          expect([...shared.values()].sort()).toEqual([...plain.values()].sort())
        }
      }),
      { numRuns: 200 },
    )
  })

  it('accepts many entries, and names that collide', () => {
    const map = new SharedMap<number>({})
    for (let i = 0; i < 20_000; i++) map.set(`file-${i}.ts`, i)
    // Names whose FNV-1a hash of code units stays equal when they are extended, found by search.
    const colliding = collisions(36)
    for (const name of colliding) map.set(name, -1)
    const copy = map.fork({})
    for (const name of colliding) expect(copy.delete(name)).toBe(true)
    for (let i = 0; i < 20_000; i++) expect(copy.get(`file-${i}.ts`)).toBe(i)
    expect([map.size, copy.size]).toEqual([20_000 + colliding.length, 20_000])
  })

  it('keeps the order of insertion while it is small', () => {
    const map = new SharedMap<number>({})
    for (const key of ['c', 'a', 'b']) map.set(key, 1)
    expect([...map.keys()]).toEqual(['c', 'a', 'b'])
  })
})

/** Strings with the same FNV-1a hash: the last two code units cancel the difference of the earlier ones. */
function collisions(count: number): string[] {
  const hash = (text: string) => {
    let h = 0x811c9dc5
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
    return h >>> 0
  }
  const high = (name: string) => hash(name) >>> 16
  // XOR with a code unit changes the low 16 bits: if the high halves are equal, one more makes the whole equal.
  const seen = new Uint16Array(1 << 16)
  let last = 0
  for (let most = 0; most < count; last++) {
    const half = high(`n${last}`)
    seen[half] = (seen[half] ?? 0) + 1
    most = Math.max(most, seen[half])
  }
  const group = high(`n${last - 1}`)
  const names = Array.from({ length: last }, (_, i) => `n${i}`).filter((name) => high(name) === group)
  const low = hash(names[0] ?? '') & 0xffff
  return names.map((each) => each + String.fromCharCode((hash(each) & 0xffff) ^ low))
}
