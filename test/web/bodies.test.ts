import { describe, expect, it } from 'vitest'
import { send, setUp } from './setup.js'

const ROUTES = [
  'sessions/cents/verdicts',
  'sessions/cents/edit',
  'sessions/cents/split',
  'sessions/cents/discard',
  'sessions/cents/questions/q-1',
  'sessions/cents/commit',
  'trust',
  'undo',
]
const BODIES = ['', ' ', 'null', '[]', '7', '"word"', '{', '\u0000', '{"verdict":null}', '{"__proto__":[]}']

describe('a decision', () => {
  it.each(ROUTES)('of %s with an invalid body is a bad request', async (route) => {
    const { url, token } = await setUp()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answers = []
    for (const body of BODIES) {
      if (route.endsWith('/commit') && body === '{"__proto__":[]}') continue
      for (const sent of [body, undefined].slice(0, body === '' ? 2 : 1)) {
        const { status, text } = await send(new URL(`/api/${route}`, url), 'POST', headers, sent)
        answers.push({ body: sent, status, reason: JSON.parse(text).error?.reason })
      }
    }
    expect(answers.filter(({ status, reason }) => status !== 400 || reason !== 'bad_request')).toEqual([])
  })
})
