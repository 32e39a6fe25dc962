import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Run } from './row.js'
import { answer, listings, type Question, questions } from './rows/tells.js'
import { atWork, carryOut, type House, newHouse } from './subjects.js'
import type { Way } from './ways.js'

/** Every other form is one of this one: `src/fs/derive.ts`. */
const WAYS: readonly Way[] = ['sync']

let house: House

beforeAll(async () => {
  house = await newHouse()
})

afterAll(() => house.close())

/** Each in a session of its own: what one question stages must not answer the next. */
async function answered(question: Question, name: string, way: Way): Promise<string | undefined> {
  const { subject, close } = await atWork(house)
  let told = ''
  const deed = async (run: Run) => {
    told = await answer(run, question, name)
  }
  const { acted, hung } = await carryOut(deed, subject, way, house.world)
  await close()
  return acted ? `${told}${hung ? ', and hangs' : ''}` : undefined
}

it.each(questions)('$name says of what is hidden what it says of what is absent', async (question) => {
  for (const way of WAYS) {
    const hidden = await answered(question, 'hidden', way)
    expect(hidden, way).toBe(await answered(question, 'ghost', way))
    expect(hidden ?? '', way).not.toContain('TOP-SECRET')
  }
})

it.each(listings)('$name names nothing hidden', async (question) => {
  for (const way of WAYS) {
    expect((await answered(question, 'hidden', way)) ?? '', way).not.toMatch(/secret\.ts|TOP-SECRET|hidden'/)
  }
})
