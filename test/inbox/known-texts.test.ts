import { expect, it } from 'vitest'
import { isNews } from '../../src/inbox/known-texts.js'

it('a conversation gets a text once, and again after another text', () => {
  const root = `/nowhere/${process.pid}-${Math.random()}`
  const isNew = (conversation: string, text: string) => isNews(root, conversation, text)
  expect([isNew('one', 'a'), isNew('one', 'a'), isNew('two', 'a'), isNew('one', 'b'), isNew('one', 'a')]).toEqual([
    ...[true, false, true, true],
    true,
  ])
})

it('the latest fifty conversations of a workspace are remembered', () => {
  const root = `/nowhere/${process.pid}-${Math.random()}`
  for (let count = 0; count < 51; count++) isNews(root, `c${count}`, 'a')
  expect([isNews(root, 'c50', 'a'), isNews(root, 'c1', 'a'), isNews(root, 'c0', 'a')]).toEqual([false, false, true])
})
