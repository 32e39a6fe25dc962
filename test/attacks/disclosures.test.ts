import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CallStyle } from './call-styles.js'
import type { Run } from './row.js'
import { listings, type Question, questions, resultText } from './rows/disclosures.js'
import { type OpenWorld, openWorld, perform, startAgent } from './subjects.js'

/** All other forms derive from this one, in `src/fs/derive.ts`. */
const CALL_STYLES: readonly CallStyle[] = ['sync']

let opened: OpenWorld

beforeAll(async () => {
  opened = await openWorld()
})

afterAll(() => opened.close())

/** Asks in a new session, so that changes staged by one question do not affect the next. Undefined if the style lacks the op. */
async function ask(question: Question, name: string, style: CallStyle): Promise<string | undefined> {
  const { subject, close } = await startAgent(opened)
  let text = ''
  const action = async (run: Run) => {
    text = await resultText(run, question, name)
  }
  const { acted, hung } = await perform(action, subject, style, opened.world)
  await close()
  return acted ? `${text}${hung ? ', and hangs' : ''}` : undefined
}

it.each(questions)('$name gives the same result for a hidden and an absent path', async (question) => {
  for (const style of CALL_STYLES) {
    const hidden = await ask(question, 'hidden', style)
    expect(hidden, style).toBe(await ask(question, 'ghost', style))
    expect(hidden ?? '', style).not.toContain('TOP-SECRET')
  }
})

it.each(listings)('$name lists nothing hidden', async (question) => {
  for (const style of CALL_STYLES) {
    expect((await ask(question, 'hidden', style)) ?? '', style).not.toMatch(/secret\.ts|TOP-SECRET|hidden'/)
  }
})
