import { describe, expect, it } from 'vitest'
import {
  type ListState,
  updateList,
  viewList,
  type WaitingSession,
  waitingSessions,
} from '../../../src/cli/review/list.js'
import { widthOf } from './sets.js'

const session = (id: string, more: Partial<WaitingSession> = {}): WaitingSession => ({
  id,
  live: false,
  changes: 1,
  questions: 0,
  ...more,
})
const listState = (...sessions: WaitingSession[]): ListState => ({
  sessions,
  cursor: 0,
  size: { columns: 60, rows: 15 },
  charset: 'utf-8',
})
const press = (from: ListState, ...keys: string[]) =>
  keys.reduce((now, key) => updateList(now.state, { is: 'key', key }), { state: from } as ReturnType<typeof updateList>)

describe('the list of sessions', () => {
  it('lists sessions to review, those with questions first', () => {
    const asks = session('asks', { changes: 0, questions: 1 })
    const all = [session('a'), session('done', { changes: 0 }), session('broken', { changes: 0, damaged: 'cut' }), asks]
    expect(waitingSessions(all).map(({ id }) => id)).toEqual(['asks', 'a', 'broken'])
  })

  it('opens the one under the cursor', () => {
    const two = listState(session('a'), session('b'))
    expect(press(two, 'j', 'j', 'Enter').effect).toEqual({ do: 'open', session: 'b' })
    expect(press(two, 'Down', 'k', 'Enter').effect).toEqual({ do: 'open', session: 'a' })
    expect(press(two, 'q').effect).toEqual({ do: 'quit' })
    expect(press(listState(), 'Enter', 'j').effect).toBeUndefined()
  })

  it('keeps the cursor on its session while others appear and disappear', () => {
    const at = press(listState(session('a'), session('b')), 'j').state
    const sessions = [session('0'), session('a'), session('b')]
    expect(updateList(at, { is: 'sessions', sessions }).state.cursor).toBe(2)
    expect(updateList(at, { is: 'sessions', sessions: [] }).state.cursor).toBe(0)
  })

  it('describes each session, on a screen of any size', () => {
    const more = { live: true, questions: 2, agent: { model: 'm\x1b[31m' }, intents: ['INT-001'] }
    const sessions = Array.from({ length: 30 }, (_, index) => session(`s${index}`, more))
    for (const size of [
      { columns: 60, rows: 15 },
      { columns: 7, rows: 2 },
      { columns: 130, rows: 50 },
    ]) {
      const lines = viewList({ ...listState(...sessions), cursor: 20, size })
      expect([lines.length, ...new Set(lines.map(widthOf))]).toEqual([size.rows, size.columns])
    }
    const text = viewList({ ...listState(...sessions), cursor: 20 })
      .map((line) => line.map((span) => span.text).join(''))
      .join('\n')
    expect(text).toContain('▌ s20  1 change  asks 2  ● live')
    expect(text).toContain('m^[[31m  INT-001')
  })
})
