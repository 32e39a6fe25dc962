import { describe, expect, it } from 'vitest'
import { Births } from '../../src/trace/births.js'
import { printsOf } from '../../src/trace/line-prints.js'

const ALL = { has: () => true }
const agent = (model: string) => ({ contributor: 'ai' as const, model, sessionId: 's' })

/** Births of a file that one agent wrote. */
function note(births: Births, model: string, lines: readonly string[]): void {
  births.note(
    printsOf(lines).map((print) => ({ print, origin: agent(model) })),
    lines.keys(),
  )
}

const find = (births: Births, lines: readonly string[], line: number) => births.find(printsOf(lines), line)
const LONG = 'const total = addAllThePrices(of, the, basket)'

describe('a line that a record wrote', () => {
  it('is found by itself if it has enough text', () => {
    const births = new Births(ALL)
    note(births, 'm', [LONG])
    expect(find(births, ['other', LONG], 1)).toEqual(agent('m'))
    expect(find(births, ['other'], 0)).toBeUndefined()
  })

  it('is found by its neighbours if it has little text', () => {
    const births = new Births(ALL)
    note(births, 'm', [LONG, 'return null'])
    expect(find(births, [LONG, 'return null'], 1)).toEqual(agent('m'))
    expect(find(births, ['something else', 'return null'], 1)).toBe('ambiguous')
  })

  it('has the author with the same neighbours, and none without neighbours', () => {
    const births = new Births(ALL)
    note(births, 'one', ['first neighbor', LONG])
    note(births, 'two', ['second neighbor', LONG])
    expect(find(births, ['second neighbor', LONG], 1)).toEqual(agent('two'))
    expect(find(births, ['third neighbor', LONG], 1)).toBe('ambiguous')
  })

  it('assigns a bracket to the author of the lines above it, never of those below', () => {
    const births = new Births(ALL)
    note(births, 'm', ['the agent wrote this', '}', 'below both'])
    expect(find(births, ['the agent wrote this', '}', 'else'], 1)).toEqual(agent('m'))
    expect(find(births, ['a person wrote this', '}', 'below both'], 1)).toBe('ambiguous')
  })

  it('is not noted if only an edit outside escrowfs is known', () => {
    const births = new Births(ALL)
    births.note([{ print: printsOf([LONG])[0] ?? '', origin: { contributor: 'human', recordId: 'r' } }], [0])
    expect(find(births, [LONG], 0)).toBeUndefined()
  })
})
