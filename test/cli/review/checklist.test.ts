import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checklistRows } from '../../../src/cli/review/checklist.js'
import { describeChecklist, describeUnticked } from '../../../src/cli/review/checklist-words.js'
import { type Effect, initialState, type State } from '../../../src/cli/review/state.js'
import { type Event, update } from '../../../src/cli/review/update.js'
import { view } from '../../../src/cli/review/view.js'
import type { ChecklistItem } from '../../../src/core/api.js'
import { setOf } from './sets.js'

const sentence = (number: number, criterion: string, ticked = false): ChecklistItem => ({
  intentId: 'INT-001',
  number,
  criterion,
  ticked,
  ...(ticked && { by: { name: 'Ann' } }),
})
const [PRICES, TAX, MAIL] = [sentence(1, 'Prices are integers', true), sentence(2, 'Tax'), sentence(3, 'Mail')]

function screen(checklist: readonly ChecklistItem[], size = { columns: 80, rows: 24 }) {
  const set = setOf({ path: 'a.ts', oldText: 'a\n', newText: 'b\n', state: 'approved' })
  const staged = { head: { session: 's', live: true }, set, questions: [], quarantined: 0, checks: [], work: [] }
  let state: State = initialState({ ...staged, checklist }, size, 'utf-8')
  const effects: Effect[] = []
  const send = (event: Event) => {
    const step = update(state, event)
    state = step.state
    effects.push(...step.effects.filter((effect) => effect.do !== 'color'))
  }
  send({ is: 'resized', size })
  return {
    effects,
    press: (...keys: string[]) => {
      for (const key of keys) send({ is: 'key', key, at: 10_000 })
    },
    restage: (now: readonly ChecklistItem[]) =>
      send({ is: 'staged', staged: { ...staged, checklist: now }, at: 0, quiet: true }),
    text: () =>
      view(state)
        .map((line) => line.map(({ text }) => text).join(''))
        .join('\n'),
    mode: () => state.mode.kind,
  }
}

describe('the checklist in the terminal', () => {
  it('opens at the first unticked sentence; Space and Enter tick the marked one', () => {
    const on = screen([PRICES, TAX, MAIL])
    on.press('T')
    expect(on.text()).toContain('[x] INT-001 1  Prices are integers  ticked by Ann')
    expect(on.text()).toContain('> [ ] INT-001 2  Tax')
    on.press('Space', 'j', 'Enter', 'k', 'k', 'k', 'Space')
    const items = on.effects.map((effect) => effect.do === 'tick' && effect.item)
    expect(items).toEqual([TAX, MAIL, PRICES])
  })

  it('closes on any other key, which decides nothing', () => {
    const on = screen([TAX])
    on.press('T', 'y')
    expect(on.mode()).toBe('browse')
    expect(on.effects).toEqual([])
  })

  it('reports an empty checklist', () => {
    const on = screen([])
    on.press('T')
    expect(on.mode()).toBe('browse')
    expect(on.text()).toContain('--criterion TEXT')
  })

  it('does not tick a sentence that replaced the marked one', () => {
    const on = screen([TAX])
    on.press('T')
    on.restage([sentence(2, 'Tax is optional')])
    on.press('Space')
    expect(on.effects).toEqual([])
    expect(on.text()).toContain('no longer in the checklist')
    on.press('j', 'Space')
    expect(on.effects).toMatchObject([{ item: { criterion: 'Tax is optional' } }])
  })

  it('counts the ticks in the first row, and names unticked sentences before a commit', () => {
    const on = screen([PRICES, TAX])
    expect(on.text()).toMatch(/1\/2 ticked[\s\S]*1 sentence to tick: T/)
    on.press('c')
    expect(on.text()).toContain('Not ticked: "Tax". Write to disk: 1 file')
  })
})

it('names three sentences at most, and shortens them', () => {
  expect(describeUnticked([])).toBe('')
  expect(describeUnticked([TAX, MAIL, PRICES, sentence(4, 'x')])).toBe(
    'Not ticked: "Tax", "Mail", "Prices are integers" and 1 more.',
  )
  expect(describeUnticked([sentence(1, 'x'.repeat(200))])).toBe(`Not ticked: "${'x'.repeat(60)}…".`)
  expect(describeChecklist([])).toBe('')
})

it('always shows the marked sentence from its first row', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 30 }),
      fc.nat(),
      fc.integer({ min: 1, max: 20 }),
      (lengths, pick, rows) => {
        const checklist = lengths.map((length, index) => sentence(index + 1, 'w'.repeat(length)))
        const marked = pick % checklist.length
        const set = setOf()
        const head = { session: 's', live: true }
        const staged = { head, set, questions: [], quarantined: 0, checks: [], work: [], checklist }
        const state = initialState(staged, { columns: 40, rows: 24 }, 'utf-8')
        const key = JSON.stringify(['INT-001', checklist[marked]?.criterion])
        const lines = checklistRows(state, key, rows)
        expect(lines.length).toBeLessThanOrEqual(rows)
        expect(lines.some(([mark]) => mark?.text === '> ')).toBe(true)
      },
    ),
  )
})
