import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEffectRunner, type EffectRunner } from '../../../src/cli/review/effect-runner.js'
import { initialState, type State, type Target } from '../../../src/cli/review/state.js'
import { type Event, update } from '../../../src/cli/review/update.js'
import type { Session, Workspace } from '../../../src/core/api.js'
import { stateOf } from '../../support/state.js'
import { INTENTS, startSession, testWorkspace } from '../../support/workspace.js'
import { numberedLines } from './sets.js'

interface ReviewerScreen {
  readonly runner: EffectRunner
  readonly state: State
  /** The verdicts that the screen reported as recorded. */
  readonly decided: readonly { readonly target: Target; readonly state: string }[]
  press(...keys: string[]): Promise<void>
  /** Presses a key without waiting for its effects. */
  type(key: string): void
  message(): string | undefined
}

/** Opens a reviewer's screen without a terminal. @param editor changes a text as the person would */
async function openScreen(
  workspace: Workspace,
  name: string,
  editor = async (text: string) => text,
): Promise<ReviewerScreen> {
  let state: State | undefined
  let clock = 0
  const decided: { target: Target; state: string }[] = []
  const dispatch = (event: Event) => {
    if (event.is === 'decided') decided.push(event)
    if (state === undefined) return
    const step = update(state, event)
    state = step.state
    for (const effect of step.effects) if (effect.do !== 'color') runner.run(effect)
  }
  const tickClock = () => {
    clock += 1000
    return clock
  }
  const head = () => ({ session: 'agent', live: true })
  const review = await workspace.review('agent')
  const runner = createEffectRunner({
    ...{
      review,
      by: { name },
      head,
      work: () => [],
      delivery: (what) => `Soon: ${what}.`,
      dispatch,
      editText: editor,
      now: tickClock,
    },
  })
  const size = { columns: 80, rows: 60 }
  let displayed = initialState(await runner.open(), size, 'utf-8')
  state = displayed
  dispatch({ is: 'resized', size })
  const type = (key: string) => dispatch({ is: 'key', key, at: tickClock() })
  return {
    runner,
    get state() {
      displayed = state ?? displayed
      return displayed
    },
    decided,
    type,
    async press(...keys) {
      for (const key of keys) {
        type(key)
        await runner.idle()
      }
    },
    message: () => state?.message?.text,
  }
}

async function scene() {
  const project = testWorkspace({ 'src/a.ts': numberedLines(60), 'src/b.ts': 'b\n' })
  const workspace = await project.open()
  const session = await startSession(workspace)
  const write = (edits: Record<number, string>) => session.fs.writeFileSync('src/a.ts', numberedLines(60, edits))
  write({ 3: 'three', 30: 'thirty' })
  return { project, workspace, session, write }
}

const reasons = async (session: Session) => {
  await session.flush()
  return (await session.feedback()).map(({ reason }) => reason)
}

describe('an effect runner', () => {
  it('refuses a verdict on a change that differs from the displayed one, and displays it again', async () => {
    const { workspace, write, session } = await scene()
    const ann = await openScreen(workspace, 'Ann')
    write({ 3: 'THREE', 30: 'thirty' })
    await ann.press('y')
    expect(ann.message()).toMatch(/Nothing was recorded|has changed/)
    await ann.press('k', 'Y')
    expect(ann.message()).toContain('was changed in the stage since it was shown')
    expect(ann.message()).toContain('Look at it again here, then decide.')
    expect(ann.decided).toEqual([])
    await session.flush()
    expect((await (await workspace.review('agent')).changes()).changes[0]?.state).toBe('pending')
  })

  it('computes facts once the person orders by risk', async () => {
    const { workspace, session } = await scene()
    session.fs.writeFileSync('src/b.ts', 'eval(b)\n')
    const ann = await openScreen(workspace, 'Ann')
    const first = () => ann.state.document.stops[0]?.change
    await ann.press('v')
    expect([ann.message(), first()?.path, first()?.risk]).toEqual(['Ordered by file.', 'src/a.ts', undefined])
    await ann.press('v')
    expect([ann.message(), first()?.path, first()?.risk?.level]).toEqual(['Ordered by risk.', 'src/b.ts', 'stop'])
    const notes = ann.state.document.items.flatMap(({ notes = [] }) => notes)
    expect(notes).toContain('stop: A text runs as code: `eval(b)`. (line 1)')
    await ann.press('v')
    expect([ann.message(), first()?.path]).toEqual(['Ordered by step.', 'src/a.ts'])
  })

  it('reads a stage that cannot be read again only after seconds', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    await startSession(workspace)
    let reads = 0
    const review = {
      ...(await workspace.review('agent')),
      questions: async () => {
        reads += 1
        throw new Error('The workspace is gone.')
      },
    }
    const messages: string[] = []
    const runner = createEffectRunner({
      ...{ review, head: () => ({ session: 'agent', live: false }), work: () => [], delivery: () => '' },
      dispatch: (event) => void (event.is === 'message' && messages.push(event.message.text)),
      editText: async (text) => text,
      now: () => 0,
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    runner.onStageChange()
    await vi.advanceTimersByTimeAsync(1_000)
    expect([reads, messages]).toEqual([1, ['The workspace is gone.']])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(reads).toBe(2)
    // A change is worth a new try at once.
    runner.onStageChange()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(reads).toBe(3)
    runner.close()
  })

  it('reports that there is no verdict to undo, and records none', async () => {
    const { workspace } = await scene()
    const ann = await openScreen(workspace, 'Ann')
    await ann.press('Y')
    ann.type('u')
    ann.type('u')
    await ann.runner.idle()
    expect(ann.decided.map(({ state }) => state)).toEqual(['approved', 'pending'])
    expect(ann.message()).toMatch(/has no verdict to undo\.$/)
  })

  it('ticks a sentence, and explains how if a commit needs it', async () => {
    const intents = INTENTS.replace(
      'status: IN_PROGRESS',
      'status: IN_PROGRESS\n    acceptance_criteria: [Tax is shown]',
    )
    const project = testWorkspace({ 'src/a.ts': 'a\n' }, intents)
    project.write('.orchestration/policy.yaml', 'commit: { checklist: required }\n')
    const workspace = await project.open()
    const session = await startSession(workspace)
    session.fs.writeFileSync('src/a.ts', 'b\n')
    await session.flush()
    const ann = await openScreen(workspace, 'Ann')
    await ann.press('Y', 'c', 'y')
    expect(ann.message()).toMatch(/Not ticked: INT-001 1: "Tax is shown"\. T shows the checklist\.$/)
    expect(project.text('src/a.ts')).toBe('a\n')
    await ann.press('T', 'Space')
    expect(ann.message()).toBe('Ticked. Everything is ticked.')
    expect(ann.state.checklist).toMatchObject([{ criterion: 'Tax is shown', ticked: true, by: { name: 'Ann' } }])
    await ann.press('Space')
    expect(ann.message()).toBe('The tick was cleared. 1 sentence is left.')
    await ann.press('Space', 'q', 'c', 'y')
    expect(project.text('src/a.ts')).toBe('b\n')
    expect(ann.message()).toMatch(/^1 change committed, number \d\.$/)
  })

  it('names unticked sentences after a commit', async () => {
    const intents = INTENTS.replace(
      'status: IN_PROGRESS',
      'status: IN_PROGRESS\n    acceptance_criteria: [Tax is shown]',
    )
    const workspace = await testWorkspace({ 'src/a.ts': 'a\n' }, intents).open()
    const session = await startSession(workspace)
    session.fs.writeFileSync('src/a.ts', 'b\n')
    await session.flush()
    const ann = await openScreen(workspace, 'Ann')
    await ann.press('Y', 'c', 'y')
    expect(ann.message()).toMatch(/^1 change committed, number \d\. Not ticked: "Tax is shown"\.$/)
  })

  it('merges a file that changed on disk before anything is approved', async () => {
    const { project, workspace } = await scene()
    const ann = await openScreen(workspace, 'Ann')
    writeFileSync(`${project.root}/src/a.ts`, numberedLines(60, { 50: 'by hand' }))
    await ann.press('Y')
    expect(ann.message()).toContain('First merge it with what is on disk, with the keys c and m.')
    // The screen reads the stage again shortly after a refusal.
    await expect.poll(() => ann.state.set.changes[0]?.flags, { timeout: 10_000 }).toContain('drifted')
    await ann.press('c', 'm')
    await ann.press('g', 'Y', 'c', 'y')
    expect(project.text('src/a.ts')).toBe(numberedLines(60, { 3: 'three', 30: 'thirty', 50: 'by hand' }))
  })

  it('reports conflicts of a commit, and merges on request', async () => {
    const { project, workspace } = await scene()
    const ann = await openScreen(workspace, 'Ann')
    await ann.press('Y')
    expect(ann.message()).toBe('src/a.ts is approved.')
    writeFileSync(`${project.root}/src/a.ts`, numberedLines(60, { 50: 'by hand' }))
    await ann.press('c', 'y')
    expect(ann.message()).toContain('c, then m merges')
    expect(project.text('src/a.ts')).toBe(numberedLines(60, { 50: 'by hand' }))
    await ann.press('c', 'm')
    await ann.press('g', 'Y', 'c', 'y')
    expect(project.text('src/a.ts')).toBe(numberedLines(60, { 3: 'three', 30: 'thirty', 50: 'by hand' }))
    expect(ann.message()).toMatch(/^1 change committed, number \d\.$/)
  })

  it('cancels a commit', async () => {
    const { project, workspace } = await scene()
    const ann = await openScreen(workspace, 'Ann')
    await ann.press('Y', 'c')
    ann.type('y')
    ann.type('Ctrl-C')
    await Promise.resolve()
    ann.runner.stop()
    await ann.runner.idle()
    if (ann.message()?.includes('cancelled')) expect(project.text('src/a.ts')).toBe(numberedLines(60))
    else expect(project.text('src/a.ts')).toBe(numberedLines(60, { 3: 'three', 30: 'thirty' }))
    expect(ann.state.busy).toBeUndefined()
  })

  it('keeps an edited text if the agent wrote first, and offers it again', async () => {
    const { workspace, session, write } = await scene()
    const seen: string[] = []
    const ann = await openScreen(workspace, 'Ann', async (text) => {
      seen.push(text)
      if (seen.length === 1) write({ 3: 'faster' })
      return seen.length === 1 ? text.replace('thirty', 'THIRTY') : `${text}and more\n`
    })
    await ann.press('e')
    expect(ann.message()).toContain('Your text is kept')
    await ann.press('e')
    expect(seen[1]).toBe(numberedLines(60, { 3: 'three', 30: 'THIRTY' }))
    await session.flush()
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe(
      `${numberedLines(60, { 3: 'three', 30: 'THIRTY' })}and more\n`,
    )
    expect(ann.state.drafts.size).toBe(0)
  })

  it('discards, answers and approves all', async () => {
    const { workspace, session } = await scene()
    session.fs.writeFileSync('src/b.ts', 'B\n')
    await session.requestScope(['lib/**'], 'shared code')
    const ann = await openScreen(workspace, 'Ann')
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

describe('two effect runners and an agent, in any order', () => {
  const act = fc.oneof(
    fc.record({ who: fc.constantFrom(0, 1), key: fc.constantFrom('y', 'j', 'k', 'Y', 'u') }),
    fc.record({ who: fc.constantFrom(0, 1), key: fc.constant('n') }),
    fc.record({ who: fc.constantFrom(0, 1), key: fc.constant('wait') }),
    fc.record({ who: fc.constant(2), line: fc.constantFrom(3, 30), to: fc.integer({ min: 0, max: 3 }) }),
  )

  it('every reported verdict is in the log, and covers lines that its reviewer saw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 6, maxLength: 14 }), async (acts) => {
        const { project, workspace, write } = await scene()
        const seats = [await openScreen(await project.open(), 'Ann'), await openScreen(await project.open(), 'Ben')]
        const edits: Record<number, string> = { 3: 'three', 30: 'thirty' }
        for (const each of acts) {
          if ('line' in each) {
            edits[each.line] = `v${each.to}`
            write(edits)
            for (const own of seats) own.runner.onStageChange()
          } else {
            const own = seats[each.who]
            if (each.key === 'wait') await own?.runner.idle()
            else if (each.key === 'n') for (const key of ['n', 'x', 'Enter']) own?.type(key)
            else own?.type(each.key)
          }
        }
        for (const own of seats) await own.runner.idle()
        for (const own of seats) own.runner.close()
        const file = `${stateOf(project.root)}/sessions/agent/review.jsonl`
        const log = (existsSync(file) ? readFileSync(file, 'utf8') : '')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line))
        for (const [at, name] of ['Ann', 'Ben'].entries()) {
          const own = log.filter(({ kind, by }) => kind === 'verdict' && by.name === name)
          const reported = seats[at]?.decided ?? []
          expect(own.length).toBe(reported.length)
          for (const [index, { target }] of reported.entries()) {
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
