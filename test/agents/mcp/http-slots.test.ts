import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { HttpSlots } from '../../../src/agents/mcp/http-slots.js'

/** The answer of a request, which the test writes. */
class Answer extends EventEmitter {
  destroyed = false
  close(): void {
    this.destroyed = true
    this.emit('close')
  }
}

function setUp() {
  const slots = new HttpSlots(2)
  const log: string[] = []
  const enter = (client: string, id: number) => {
    const answer = new Answer()
    const entering = slots.enter(client, [id], answer).then((wanted) => log.push(`${client}${id} ${wanted.has(id)}`))
    return { answer, entering }
  }
  return { slots, log, enter }
}

const settled = () => new Promise(setImmediate)

it('begins a call when the answer of an earlier one is written, for each client by itself', async () => {
  const { log, enter } = setUp()
  const [first, , third] = [1, 2, 3].map((id) => enter('a', id))
  enter('b', 1)
  await settled()
  expect(log).toEqual(['a1 true', 'a2 true', 'b1 true'])
  first?.answer.close()
  await third?.entering
  expect(log.at(-1)).toBe('a3 true')
})

it('never begins a waiting call that is cancelled, or whose client leaves', async () => {
  const { slots, log, enter } = setUp()
  const [first, second, third, fourth] = [1, 2, 3, 4].map((id) => enter('a', id))
  await settled()
  slots.cancel('a', 3)
  fourth?.answer.close()
  await settled()
  expect(log).toEqual(['a1 true', 'a2 true', 'a3 false', 'a4 false'])
  for (const each of [first, second, third]) each?.answer.close()
  await settled()
  expect(log).toHaveLength(4)
  const gone = new Answer()
  gone.close()
  expect(await slots.enter('a', [5], gone)).toEqual(new Set())
})

it('gives the place of a cancelled call to the next one', async () => {
  const { slots, log, enter } = setUp()
  for (const id of [1, 2, 3]) enter('a', id)
  slots.cancel('a', 1)
  slots.cancel('b', 1)
  await settled()
  expect(log).toContain('a3 true')
})

it('counts each call of a batch, and leaves out only the cancelled ones', async () => {
  const slots = new HttpSlots(2)
  const [first, batch, last] = [new Answer(), new Answer(), new Answer()]
  const log: string[] = []
  const enter = (ids: readonly number[], answer: Answer) =>
    void slots.enter('a', ids, answer).then((wanted) => log.push([...wanted].join()))
  enter([1], first)
  enter([2, 3], batch)
  enter([4], last)
  await settled()
  expect(log).toEqual(['1'])
  slots.cancel('a', 2)
  await settled()
  expect(log).toEqual(['1', '3'])
  slots.cancel('a', 3)
  await settled()
  expect(log).toEqual(['1', '3', '4'])
})
