import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDesk, type EffectRunner } from '../../../src/cli/review/effect-runner.js'
import { initialState, type State, type Target } from '../../../src/cli/review/state.js'
import { type Event, update } from '../../../src/cli/review/update.js'
import type { Session, Workspace } from '../../../src/core/api.js'
import { stateOf } from '../../support/state.js'
import { testWorkspace, working } from '../../support/workspace.js'
import { numbered } from './sets.js'

interface Seat {
  readonly desk: EffectRunner
  readonly state: State
  /** Every verdict that the screen says was recorded. */
  readonly decided: readonly { readonly target: Target; readonly state: string }[]
  press(...keys: string[]): Promise<void>
  /** Without waiting for what comes of it. */
  type(key: string): void
  message(): string | undefined
}

/** A reviewer with a screen, but for the terminal. `editor` is what the person does to a text. */
async function seat(workspace: Workspace, name: string, editor = async (text: string) => text): Promise<Seat> {
  let state: State | undefined
  let clock = 0
  const decided: { target: Target; state: string }[] = []
  const dispatch = (event: Event) => {
    if (event.is === 'decided') decided.push(event)
    if (state === undefined) return
    const step = update(state, event)
    state = step.state
    for (const effect of step.effects) if (effect.do !== 'color') desk.carryOut(effect)
  }
  const now = () => {
    clock += 1000
    return clock
  }
  const head = async () => ({ session: 'agent', live: true })
  const review = await workspace.review('agent')
  const desk = createDesk({
    ...{ review, by: { name }, head, work: () => [], delivery: () => 'Soon.', dispatch, editText: editor, now },
  })
  const size = { columns: 80, rows: 60 }
  let shown = initialState(await desk.open(), size, 'utf-8')
  state = shown
  dispatch({ is: 'resized', size })
  const type = (key: string) => dispatch({ is: 'key', key, at: now() })
  return {
    desk,
    get state() {
      shown = state ?? shown
      return shown
    },
    decided,
    type,
    async press(...keys) {
      for (const key of keys) {
        type(key)
        await desk.idle()
      }
    },
    message: () => state?.message?.text,
  }
}

async function scene() {
  const on = testWorkspace({ 'src/a.ts': numbered(60), 'src/b.ts': 'b\n' })
  const workspace = await on.open()
  const session = await working(workspace)
  const write = (edits: Record<number, string>) => session.fs.writeFileSync('src/a.ts', numbered(60, edits))
  write({ 3: 'three', 30: 'thirty' })
  return { on, workspace, session, write }
}

const reasons = async (session: Session) => {
  await session.flush()
  return (await session.feedback()).map(({ reason }) => reason)
}

describe('a desk', () => {
  it('refuses a verdict on what is not as it was shown, and shows it anew', async () => {
    const { workspace, write, session } = await scene()
    const ann = await seat(workspace, 'Ann')
    write({ 3: 'THREE', 30: 'thirty' })
    await ann.press('y')
    expect(ann.message()).toMatch(/Nothing was recorded|has changed/)
    await ann.press('k', 'Y')
    expect(ann.message()).toContain('was changed in the stage since it was shown')
    expect(ann.decided).toEqual([])
    await session.flush()
    expect((await (await workspace.review('agent')).changes()).changes[0]?.state).toBe('pending')
  })

  it('says that there is no verdict to take back, and records none', async () => {
    const { workspace } = await scene()
    const ann = await seat(workspace, 'Ann')
    await ann.press('Y')
    ann.type('u')
    ann.type('u')
    await ann.desk.idle()
    expect(ann.decided.map(({ state }) => state)).toEqual(['approved', 'pending'])
    expect(ann.message()).toMatch(/has no verdict to undo\.$/)
  })

  it('says what a commit met, and merges when told to', async () => {
    const { on, workspace } = await scene()
    const ann = await seat(workspace, 'Ann')
    await ann.press('Y')
    expect(ann.message()).toBe('src/a.ts is approved.')
    writeFileSync(`${on.root}/src/a.ts`, numbered(60, { 50: 'by hand' }))
    await ann.press('c', 'y')
    expect(ann.message()).toContain('c, then m merges')
    expect(on.text('src/a.ts')).toBe(numbered(60, { 50: 'by hand' }))
    await ann.press('c', 'm')
    await ann.press('g', 'Y', 'c', 'y')
    expect(on.text('src/a.ts')).toBe(numbered(60, { 3: 'three', 30: 'thirty', 50: 'by hand' }))
    expect(ann.message()).toMatch(/^1 change committed, number \d\.$/)
  })

  it('cancels a commit', async () => {
    const { on, workspace } = await scene()
    const ann = await seat(workspace, 'Ann')
    await ann.press('Y', 'c')
    ann.type('y')
    ann.type('Ctrl-C')
    await Promise.resolve()
    ann.desk.stop()
    await ann.desk.idle()
    if (ann.message()?.includes('cancelled')) expect(on.text('src/a.ts')).toBe(numbered(60))
    else expect(on.text('src/a.ts')).toBe(numbered(60, { 3: 'three', 30: 'thirty' }))
    expect(ann.state.busy).toBeUndefined()
  })

  it('keeps what a person wrote where the agent was faster, and offers it again', async () => {
    const { workspace, session, write } = await scene()
    const seen: string[] = []
    const ann = await seat(workspace, 'Ann', async (text) => {
      seen.push(text)
      if (seen.length === 1) write({ 3: 'faster' })
      return seen.length === 1 ? text.replace('thirty', 'THIRTY') : `${text}and more\n`
    })
    await ann.press('e')
    expect(ann.message()).toContain('Your text is kept')
    await ann.press('e')
    expect(seen[1]).toBe(numbered(60, { 3: 'three', 30: 'THIRTY' }))
    await session.flush()
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe(`${numbered(60, { 3: 'three', 30: 'THIRTY' })}and more\n`)
    expect(ann.state.drafts.size).toBe(0)
  })

  it('discards, answers and approves all', async () => {
    const { workspace, session } = await scene()
    session.fs.writeFileSync('src/b.ts', 'B\n')
    await session.requestScope(['lib/**'], 'shared code')
    const ann = await seat(workspace, 'Ann')
    await ann.press('n', 'n', 'o', 'Enter')
    expect(ann.message()).toContain('Answered: deny')
    expect(await reasons(session)).toEqual([expect.stringContaining('no')])
    await ann.press('g', 'x', 'y')
    expect(ann.message()).toBe('Discarded: a hunk of src/a.ts.')
    await ann.press('A', 'y')
    expect(ann.message()).toBe('2 changes approved.')
    expect(ann.state.set.changes.map(({ state }) => state)).toEqual(['approved', 'approved'])
  })
})

describe('two desks and an agent, in any order', () => {
  const act = fc.oneof(
    fc.record({ who: fc.constantFrom(0, 1), key: fc.constantFrom('y', 'j', 'k', 'Y', 'u') }),
    fc.record({ who: fc.constantFrom(0, 1), key: fc.constant('n') }),
    fc.record({ who: fc.constantFrom(0, 1), key: fc.constant('wait') }),
    fc.record({ who: fc.constant(2), line: fc.constantFrom(3, 30), to: fc.integer({ min: 0, max: 3 }) }),
  )

  it('every verdict that was told is in the log, and is on lines that its reviewer had on the screen', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 6, maxLength: 14 }), async (acts) => {
        const { on, workspace, write } = await scene()
        const seats = [await seat(await on.open(), 'Ann'), await seat(await on.open(), 'Ben')]
        const edits: Record<number, string> = { 3: 'three', 30: 'thirty' }
        for (const each of acts) {
          if ('line' in each) {
            edits[each.line] = `v${each.to}`
            write(edits)
            for (const own of seats) own.desk.onStageChange()
          } else {
            const own = seats[each.who]
            if (each.key === 'wait') await own?.desk.idle()
            else if (each.key === 'n') for (const key of ['n', 'x', 'Enter']) own?.type(key)
            else own?.type(each.key)
          }
        }
        for (const own of seats) await own.desk.idle()
        for (const own of seats) own.desk.close()
        const file = `${stateOf(on.root)}/sessions/agent/review.jsonl`
        const log = (existsSync(file) ? readFileSync(file, 'utf8') : '')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line))
        for (const [at, name] of ['Ann', 'Ben'].entries()) {
          const own = log.filter(({ kind, by }) => kind === 'verdict' && by.name === name)
          const told = seats[at]?.decided ?? []
          expect(own.length).toBe(told.length)
          for (const [index, { target }] of told.entries()) {
            const [entry] = own[index].entries
            if (target.hunk)
              expect(entry.hunks?.map(({ id }: { id: string }) => id) ?? [target.hunk.id]).toEqual([target.hunk.id])
            else expect(entry.after?.digest).toBe(target.change.after)
          }
        }
        await workspace.close()
      }),
      { numRuns: 8 },
    )
  })
})
