import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LinePlaces } from '../../src/trace/line-places.js'
import type { Cell } from '../../src/trace/origins.js'
import { UNKNOWN } from '../../src/trace/traced-files.js'

const PATHS = ['one', 'two', 'three']
const PRINTS = ['a', 'b', 'c', 'common']

/** As {@link LinePlaces}, by a search of all lines that each path ever had. */
class Model {
  readonly #files = new Map<string, readonly Cell[]>()
  readonly #paths = new Map<string, Set<string>>()

  set(path: string, cells: readonly Cell[]): void {
    this.#files.set(path, cells)
    for (const { print } of cells) this.#paths.set(print, (this.#paths.get(print) ?? new Set()).add(path))
  }

  drop(path: string): void {
    this.#files.delete(path)
  }

  elsewhere(print: string, path: string): (readonly Cell[])[] {
    const paths = [...(this.#paths.get(print) ?? [])].filter((each) => each !== path)
    return paths.flatMap((each) => {
      const cells = this.#files.get(each)
      return cells === undefined ? [] : [cells]
    })
  }

  at(path: string): readonly Cell[] {
    return this.#files.get(path) ?? []
  }
}

/** Keeps some of the lines of a file, by their place from the start and from the end, with new lines between them. */
const edit = fc.record({
  path: fc.constantFrom(...PATHS),
  head: fc.nat(4),
  tail: fc.nat(4),
  added: fc.array(fc.constantFrom(...PRINTS), { maxLength: 4 }),
  isDropped: fc.boolean(),
})

describe('the places of a line', () => {
  it('are the files that have or had it, in the order in which they first had it', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 20 }), (edits) => {
        const [model, places] = [new Model(), new LinePlaces(() => true)]
        for (const { path, head, tail, added, isDropped } of edits) {
          const before = model.at(path)
          const fresh = added.map((print) => ({ print, origin: UNKNOWN }))
          const cells = [...before.slice(0, head), ...fresh, ...before.slice(before.length - tail)]
          model.drop(path)
          places.drop(path)
          if (!isDropped) {
            model.set(path, cells)
            places.set(path, cells, before)
          }
          for (const print of PRINTS)
            for (const here of PATHS)
              expect([...places.elsewhere(print, here)].map(({ cells: lines }) => lines)).toEqual(
                model.elsewhere(print, here),
              )
        }
      }),
    )
  })

  it('are not kept for lines that nobody asks about', () => {
    const places = new LinePlaces((print) => print !== 'unasked')
    places.set('one', [{ print: 'unasked', origin: UNKNOWN }], [])
    expect([...places.elsewhere('unasked', 'two')]).toEqual([])
  })
})
