import { expect, it } from 'vitest'
import { isNews } from '../../src/inbox/known-texts.js'

it('a text is news to a conversation once, and again after another one', () => {
  const root = `/nowhere/${process.pid}-${Math.random()}`
  const asked = (conversation: string, text: string) => isNews(root, conversation, text)
  expect([asked('one', 'a'), asked('one', 'a'), asked('two', 'a'), asked('one', 'b'), asked('one', 'a')]).toEqual([
    ...[true, false, true, true],
    true,
  ])
})

it('of a workspace the latest fifty conversations are remembered', () => {
  const root = `/nowhere/${process.pid}-${Math.random()}`
  for (let count = 0; count < 51; count++) isNews(root, `c${count}`, 'a')
  expect([isNews(root, 'c50', 'a'), isNews(root, 'c1', 'a'), isNews(root, 'c0', 'a')]).toEqual([false, false, true])
})
