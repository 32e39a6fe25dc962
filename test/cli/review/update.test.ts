import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KEYS } from '../../../src/cli/review/keys.js'
import { isTooSmall, visibleRows } from '../../../src/cli/review/place.js'
import { type Effect, initialState, isSameAt, type Staged, type State } from '../../../src/cli/review/state.js'
import { type Event, update } from '../../../src/cli/review/update.js'
import { view } from '../../../src/cli/review/view.js'
import type { ChangeSet } from '../../../src/core/api.js'
import { numberedLines, QUESTION, setOf, widthOf } from './sets.js'

const head = { session: 's', live: true, by: 'm-1' }
const stagedEvent = (set: ChangeSet, questions: Staged['questions'] = []): Staged => ({
  head,
  set,
  questions,
  quarantined: 0,
  checks: [],
  checklist: [],
  work: [],
})
const SMALL = setOf(
  { path: 'a.ts', oldText: numberedLines(40), newText: numberedLines(40, { 3: 'three', 30: 'thirty' }) },
  { path: 'b.ts', oldText: null, newText: 'new\n' },
  { path: 'gone.ts', oldText: 'x\n', newText: null },
)

/** A screen driven by keys, and the effects it requested. */
function screen(set: ChangeSet = SMALL, size = { columns: 80, rows: 24 }, questions: Staged['questions'] = []) {
  let state: State = initialState(stagedEvent(set, questions), size, 'utf-8')
  let clock = 10_000
  const later = (milliseconds: number) => {
    clock += milliseconds
    return clock
  }
  const effects: Effect[] = []
  const send = (event: Event) => {
    const step = update(state, event)
    state = step.state
    effects.push(...step.effects.filter((effect) => effect.do !== 'color'))
  }
  send({ is: 'resized', size })
  return {
    get state() {
      return state
    },
    effects,
    send,
    press: (...keys: string[]) => {
      for (const key of keys) send({ is: 'key', key, at: later(1000) })
    },
    restage: (now: ChangeSet, after = 1000) =>
      send({ is: 'staged', staged: stagedEvent(now, questions), at: later(after) }),
    soon: (key: string) => send({ is: 'key', key, at: clock + 1 }),
    text: () =>
      view(state)
        .map((line) =>
          line
            .map(({ text }) => text)
            .join('')
            .trimEnd(),
        )
        .join('\n'),
    here: () => {
      const stop = state.document.stops[state.cursor]
      return stop?.question?.id ?? `${stop?.change?.path} ${stop?.hunk?.newStart}`
    },
  }
}

describe('keys', () => {
  it('y approves the hunk under the cursor and goes to the next undecided', () => {
    const s = screen()
    expect(s.here()).toBe('gone.ts 0')
    s.press('y', 'y')
    expect(s.effects).toMatchObject([
      { do: 'approve', target: { change: { path: 'gone.ts' }, hunk: {} } },
      { do: 'approve', target: { change: { path: 'a.ts' }, hunk: { newStart: 1 } } },
    ])
    expect(s.here()).toBe('a.ts 28')
  })

  it('n asks for a reason, and rejects nothing without one', () => {
    const s = screen()
    s.press('n', 'n', 'o', 'Space', 'w', 'Backspace', 'Enter')
    expect(s.effects).toMatchObject([{ do: 'reject', words: 'no', target: { change: { path: 'gone.ts' } } }])
    const t = screen()
    t.press('n', 'Enter', 'n', 'x', 'Escape', 'n', 'x', 'Ctrl-C')
    expect(t.effects).toEqual([])
    expect(t.text()).toContain('Nothing was changed.')
  })

  it('a hunk longer than the screen is approved only after its end was seen', () => {
    const s = screen(setOf({ path: 'long.ts', oldText: null, newText: numberedLines(50) }))
    s.press('y')
    expect(s.effects).toEqual([])
    expect(s.text()).toContain('There is more to see')
    s.press('y', 'y', 'y', 'y')
    expect(s.effects).toMatchObject([{ do: 'approve' }, ...s.effects.slice(1)])
    expect(s.text()).toContain('line 49')
  })

  it('Y approves a file, and asks first if part of it was not seen', () => {
    const s = screen(
      setOf({ path: 'a.ts', oldText: numberedLines(90), newText: numberedLines(90, { 3: 'x', 80: 'y' }) }),
      {
        columns: 60,
        rows: 18,
      },
    )
    s.press('Y')
    expect(s.effects).toEqual([])
    expect(s.text()).toContain('You have not scrolled 1 hunk of a.ts to the end')
    s.press('n')
    expect(s.effects).toEqual([])
    s.press('Y', 'y')
    expect(s.effects).toMatchObject([{ do: 'approve', target: { change: { path: 'a.ts' } } }])
    expect(s.effects[0]).not.toHaveProperty('target.hunk')
  })

  it('u undoes the verdict under the cursor, else the latest one', () => {
    const s = screen()
    s.press('u')
    expect(s.text()).toContain('no verdict here')
    const target = { change: SMALL.changes.find(({ path }) => path === 'a.ts') ?? expect.unreachable() }
    s.send({ is: 'decided', target, state: 'approved' })
    expect(s.here()).toBe('gone.ts 0')
    s.press('u')
    expect(s.effects).toMatchObject([{ do: 'withdraw', target: { change: { path: 'a.ts' } } }])
    expect(s.here()).toMatch(/^a\.ts/)
    s.press('u')
    expect(s.effects.at(-1)).toMatchObject({ do: 'withdraw', target: { hunk: { newStart: 1 } } })
  })

  it('a refused verdict returns to its hunk, and keys typed ahead decide nothing', () => {
    const s = screen()
    const target = { change: SMALL.changes.find(({ path }) => path === 'gone.ts') ?? expect.unreachable() }
    s.press('y')
    const moved = s.here()
    s.send({ is: 'refused', target, at: 1_000_000 })
    expect([moved === s.here(), s.here()]).toEqual([false, 'gone.ts 0'])
    const before = s.effects.length
    s.press('y')
    expect(s.effects.length).toBe(before)
  })

  it('u undoes a bulk approval after a question, or only the change at the cursor', () => {
    const s = screen()
    s.send({ is: 'approvedAll', paths: ['a.ts', 'gone.ts'] })
    s.press('u')
    expect(s.text()).toContain('Take back the approval of 2 files?')
    s.press('y')
    expect(s.effects).toEqual([{ do: 'withdrawAll', paths: ['a.ts', 'gone.ts'] }])
    s.press('u', 'h')
    expect(s.effects.at(-1)).toMatchObject({ do: 'withdraw' })
  })

  it('Enter commits once everything is decided, and does nothing before', () => {
    const s = screen()
    s.press('Enter')
    expect(s.effects).toEqual([])
    for (const change of SMALL.changes) s.send({ is: 'decided', target: { change }, state: 'approved' })
    expect(s.text()).toContain('Enter commits')
    s.press('Enter', 'y')
    expect(s.effects).toMatchObject([{ do: 'commit' }])
  })

  it('l lists the files with their lines and verdicts, and opens one', () => {
    const s = screen()
    s.press('l')
    expect(s.text()).toMatch(/> pending +0\/\d +\+0 -\d+ +gone\.ts/)
    s.press('j', 'Enter')
    expect(s.here()).not.toMatch(/^gone\.ts/)
    const here = s.here()
    s.press('l', 'z')
    expect(s.here()).toBe(here)
  })

  it('c asks, then commits the approved changes; Ctrl-C cancels a running commit', () => {
    const s = screen()
    s.press('c')
    expect(s.text()).toContain('Nothing is approved')
    // A habitual `c` `y` decides nothing.
    s.press('y')
    expect(s.effects).toEqual([])
    s.send({ is: 'decided', target: { change: SMALL.changes[0] ?? expect.unreachable() }, state: 'approved' })
    s.press('c')
    expect(s.text()).toMatch(/Write to disk: 1 file, 2 hunks, \+2 -2 \(a\.ts\)/)
    s.press('y', 'c', 'm')
    expect(s.effects).toMatchObject([
      { do: 'commit', merge: false },
      { do: 'commit', merge: true },
    ])
    s.send({ is: 'progress', progress: { phase: 'staging', files: 1, total: 3, bytes: 9 } })
    expect(s.text()).toContain('writing 1 of 3')
    s.press('y', 'Y', 'x', 'Ctrl-C')
    expect(s.effects.slice(2)).toEqual([{ do: 'stop' }])
    s.send({ is: 'progress', progress: undefined })
    s.press('q')
    expect(s.effects.at(-1)).toEqual({ do: 'quit' })
  })

  it('a question is answered where it is shown', () => {
    const s = screen(SMALL, { columns: 80, rows: 24 }, [QUESTION])
    expect(s.text()).toContain('May it write etc/x?')
    s.press('o')
    s.press('g', 't', 'g', 'r', 'g', 'y')
    expect(s.effects.map((effect) => effect.do === 'answer' && effect.answer)).toEqual([
      { answer: 'once' },
      { answer: 'subtree' },
      { answer: 'allow', remember: true },
      { answer: 'allow' },
    ])
    s.press('g', 'n', 'w', 'h', 'y', 'Enter', 'o')
    expect(s.effects[4]).toMatchObject({ do: 'answer', answer: { answer: 'deny', words: 'why' } })
    expect(s.text()).toContain('this is not one')
  })

  it('/ searches lines and paths, and wraps around', () => {
    const s = screen()
    s.press('/', 't', 'h', 'i', 'r', 't', 'y', 'Enter')
    expect(s.here()).toBe('a.ts 28')
    s.press('/', 'Enter')
    expect(s.here()).toBe('a.ts 28')
    s.press('/', 'B', '.', 't', 's', 'Enter')
    expect(s.here()).toBe('b.ts 1')
    s.press('/', '%', 'Enter')
    expect(s.text()).toContain("No line contains '%'.")
  })

  it('pasted keys are not commands, and in an input they are text', () => {
    const s = screen()
    s.press('PasteStart', 'y', 'a', 'q', 'Enter', 'PasteEnd')
    expect(s.effects).toEqual([])
    s.press('n', 'PasteStart', 'a', 'Enter', 'b', 'PasteEnd', 'Enter')
    expect(s.effects).toMatchObject([{ do: 'reject', words: 'a b' }])
  })

  it('help has every key', () => {
    const s = screen(SMALL, { columns: 60, rows: 80 })
    s.press('?')
    for (const { keys } of KEYS.terminal) expect(s.text()).toContain(keys.join(', '))
    s.press('q')
    expect(s.effects).toEqual([])
    expect(s.text()).toContain('gone.ts')
  })
})

it('names the modes of a file in the words of git', () => {
  const withMode = (before: number | null, after: number | null) => {
    const [change] = SMALL.changes
    const text = screen({
      ...SMALL,
      changes: change === undefined ? [] : [{ ...change, mode: { before, after } }],
    }).text()
    return /^ +((?:new file |deleted file )?mode .*)$/m.exec(text)?.[1]
  }
  expect(withMode(0o644, null)).toBe('deleted file mode 644')
  expect(withMode(null, 0o755)).toBe('new file mode 755')
  expect(withMode(0o644, 0o755)).toBe('mode 644 to 755')
})

describe('on a narrow screen', () => {
  const rowsAt = (columns: number, ...keys: string[]) => {
    const s = screen(SMALL, { columns, rows: 24 })
    s.press(...keys)
    return s.text().split('\n')
  }

  it('help has whole words', () => {
    const s = screen(SMALL, { columns: 20, rows: 300 })
    s.press('?')
    const rows = s.text().split('\n')
    for (const { keys } of KEYS.terminal) expect(rows).toContain(` ${keys.join(', ')}`)
    expect(rows.filter((row) => /^ {2,}\S$/.test(row))).toEqual([])
  })

  it('the keys row keeps the ways to help and out, and the title the counts', () => {
    const [title, ...rest] = rowsAt(40)
    expect(title).toBe(' 3 pending, 0 approved, 0 rejected')
    expect(rest.at(-1)).toBe(' y yes  n no  j/k hunk  ? help  q quit')
    expect(rowsAt(20).at(-1)).toBe(' ? help  q quit')
    expect(rowsAt(60)[0]).toBe(' s  files: 3 pending, 0 approved, 0 rejected; hunks: 0 of 4')
    expect(rowsAt(50)[0]).toBe(' s  files: 3 pending, 0 approved, 0 rejected')
    expect(rowsAt(130).at(-1)).toMatch(/^ y yes {2}n no {2}j\/k hunk {2}c commit .* \/ find {2}\? help {2}q quit$/)
  })

  it('breaks a message at spaces', () => {
    const s = screen(SMALL, { columns: 40, rows: 24 })
    const text = 'Of the selected changes 1 deletion and 2 additions were approved'
    s.send({ is: 'message', message: { text, kind: 'info' } })
    expect(s.text()).toContain(' Of the selected changes 1 deletion and\n 2 additions were approved')
  })
})

describe('while the agent writes', () => {
  const later = setOf(
    { path: 'a.ts', oldText: numberedLines(40), newText: numberedLines(40, { 3: 'THREE', 30: 'thirty' }) },
    { path: 'aa.ts', oldText: null, newText: 'new\n' },
    { path: 'b.ts', oldText: null, newText: 'new\n' },
    { path: 'gone.ts', oldText: 'x\n', newText: null },
  )

  it('the cursor stays on its stop and its row', () => {
    const s = screen()
    s.press('j', 'j')
    expect(s.here()).toBe('a.ts 28')
    const row = s
      .text()
      .split('\n')
      .findIndex((line) => line.includes('+thirty'))
    s.restage(later)
    expect(s.here()).toBe('a.ts 28')
    expect(
      s
        .text()
        .split('\n')
        .findIndex((line) => line.includes('+thirty')),
    ).toBe(row)
    expect(s.text()).toContain('2 files have changed')
  })

  it('a key pressed right after a change decides nothing', () => {
    const s = screen()
    s.press('j')
    s.restage(later)
    for (const key of ['y', 'n', 'Y', 'N', 'A', 's', 'e', 'x', 'c']) {
      s.soon(key)
      expect(s.text()).toContain('This changed just now')
    }
    expect(s.effects).toEqual([])
    s.press('y')
    expect(s.effects).toMatchObject([{ do: 'approve', shown: later }])
  })

  it('a yes after the changes moved on still refers to the displayed ones', () => {
    const s = screen()
    s.press('j', 'x')
    s.restage(later)
    s.press('y')
    expect(s.effects).toMatchObject([{ do: 'discard', shown: SMALL }])
    expect(isSameAt('a.ts', SMALL, later)).toBe(false)
  })

  it('an empty stage is reported, and nothing can be decided', () => {
    const s = screen(setOf())
    expect(s.text()).toContain('Nothing is staged')
    s.press('y', 'n', 'Y', 'c', 'j', 'k', 'Space', 'G', 'u', '/', 'x', 'Enter')
    expect(s.effects).toEqual([])
  })
})

describe('for any sequence of events', () => {
  const path = fc.constantFrom('a.ts', 'dir/b.md', 'evil\u202e\x1b[2J\n.ts', '漢字/ファイル.ts')
  const text = fc.constantFrom(
    'x',
    '\ttab',
    '漢字かな'.repeat(9),
    'e\u0301'.repeat(4),
    '\x1b[31mred',
    '\u202eevil',
    'w'.repeat(1500),
    '👩‍👩‍👧 flag 🇩🇪',
    '\u0301'.repeat(40),
    '',
  )
  const content = fc.array(text, { maxLength: 30 }).map((lines) => lines.map((line) => `${line}\n`).join(''))
  const changes = fc.record({
    path,
    oldText: fc.option(content, { nil: null }),
    newText: fc.option(content, { nil: null }),
  })
  const set = fc
    .uniqueArray(changes, { selector: (each) => each.path, maxLength: 4 })
    .map((all) => setOf(...all.filter(({ oldText, newText }) => oldText !== newText)))
  const key = fc.constantFrom(...KEYS.terminal.flatMap(({ keys }) => keys), 'Enter', 'Escape', 'z', 'm', 'f')
  const size = fc.record({ columns: fc.integer({ min: 1, max: 130 }), rows: fc.integer({ min: 1, max: 40 }) })
  const event = fc.oneof(
    { weight: 12, arbitrary: key.map((name) => ({ is: 'key' as const, key: name })) },
    { weight: 2, arbitrary: set.map((now) => ({ is: 'staged' as const, set: now })) },
    { weight: 1, arbitrary: size.map((now) => ({ is: 'resized' as const, size: now })) },
  )

  it('the screen fits, nothing throws, and y approves only changes that were seen to the end', () => {
    fc.assert(
      fc.property(
        set,
        size,
        fc.constantFrom('utf-8' as const, 'ascii' as const),
        fc.array(event, { maxLength: 40 }),
        (first, at, charset, events) => {
          let state = initialState(stagedEvent(first, [QUESTION]), at, charset)
          let clock = 0
          const later = (milliseconds: number) => {
            clock += milliseconds
            return clock
          }
          const seen = new Set<string>()
          const checkView = () => {
            const lines = view(state)
            expect(lines.length).toBe(state.size.rows)
            for (const line of lines) {
              expect(widthOf(line)).toBe(state.size.columns)
              const sent = line.map(({ text: own }) => own).join('')
              expect(sent).not.toMatch(/[\p{Cc}\u202a-\u202e\u200b-\u200f]/u)
              if (charset === 'ascii') expect(sent).toMatch(/^[\x20-\x7e]*$/)
            }
            if (state.mode.kind === 'help' || isTooSmall(state)) return
            for (const { item, line } of visibleRows(state)) {
              const stop = item.stop === undefined ? undefined : state.document.stops[item.stop]
              if (stop) seen.add(`${stop.key} ${line - item.first}`)
            }
          }
          checkView()
          for (const each of events) {
            const before = state
            const next: Event =
              each.is === 'key'
                ? { ...each, at: later(300) }
                : each.is === 'staged'
                  ? { is: 'staged', staged: stagedEvent(each.set, [QUESTION]), at: later(300) }
                  : each
            const step = update(state, next)
            state = step.state
            for (const effect of step.effects) {
              if (!('shown' in effect)) continue
              expect(before.mode.kind === 'ask' || effect.shown === before.set).toBe(true)
              if (effect.do !== 'approve' || before.mode.kind === 'ask') continue
              const stops = before.document.stops.filter(
                ({ change, hunk }) =>
                  change === effect.target.change && (effect.target.hunk === undefined || hunk === effect.target.hunk),
              )
              expect(stops.length).toBeGreaterThan(0)
              for (const { key: own, item } of stops) {
                const lines = before.document.items[item]?.lines ?? 0
                for (let line = 0; line < lines; line++) expect(seen.has(`${own} ${line}`)).toBe(true)
              }
            }
            checkView()
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('the checks', () => {
  const check = { run: 'npm test' }
  const CHECKS = [
    { intentId: 'INT-001', check, state: 'passed' as const },
    { intentId: 'INT-001', check: { run: 'make' }, state: 'stale' as const },
  ]
  const title = (on: ReturnType<typeof screen>) =>
    view(on.state)[0]
      ?.map(({ text }) => text)
      .join('')

  it('are counted in the title and at the commit, and Ctrl-C stops them', () => {
    const on = screen(SMALL, { columns: 160, rows: 24 })
    on.send({ is: 'staged', staged: { ...stagedEvent(SMALL), checks: CHECKS }, at: 20_000 })
    expect(title(on)).toContain('checks: 1 stale, 1 passed')
    on.press('C')
    expect(on.effects.at(-1)).toEqual({ do: 'check' })
    on.send({ is: 'checking', running: 'npm test' })
    expect(title(on)).toContain('checks: running npm test')
    on.press('Ctrl-C')
    expect(on.effects.at(-1)).toEqual({ do: 'stop' })
    on.send({ is: 'checked', checks: [{ intentId: 'INT-001', check, state: 'failed' }] })
    on.send({ is: 'checking', running: undefined })
    expect(title(on)).toContain('checks: 1 failed')
    on.press('Ctrl-C')
    expect(on.effects.at(-1)).toEqual({ do: 'quit' })
  })
})
