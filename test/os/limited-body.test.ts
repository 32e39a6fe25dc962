import { expect, it } from 'vitest'
import { BodyTooLong, limitBody } from '../../src/os/limited-body.js'

const AT = 'http://127.0.0.1/'

/** A body without a length. @param parts the sizes of its parts */
function streamOf(parts: readonly number[], seen: number[] = []): ReadableStream<Uint8Array> {
  const left = [...parts]
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = left.shift()
        if (size === undefined) return controller.close()
        seen.push(size)
        controller.enqueue(new Uint8Array(size))
      },
    },
    { highWaterMark: 0 },
  )
}

function post(body: ReadableStream<Uint8Array>, signal: AbortSignal | null = null): Request {
  const init = { method: 'POST', headers: { 'x-test': 'kept' }, signal }
  return new Request(AT, Object.assign(init, { body, duplex: 'half' }))
}

it('a body without a length is read up to the limit, with the rest of the request', async () => {
  const gone = new AbortController()
  const limited = limitBody(post(streamOf([3, 4]), gone.signal), 7)
  expect([limited.method, limited.url, limited.headers.get('x-test')]).toEqual(['POST', AT, 'kept'])
  expect((await limited.arrayBuffer()).byteLength).toBe(7)
  gone.abort()
  expect(limited.signal.aborted).toBe(true)
})

it('a body without a length is read only just past the limit', async () => {
  const seen: number[] = []
  const limited = limitBody(post(streamOf([4, 4, 4], seen)), 7)
  expect(seen).toEqual([])
  await expect(limited.text()).rejects.toThrow(BodyTooLong)
  expect(seen).toEqual([4, 4])
})

it('a length above the limit is refused, and other requests are unaffected', () => {
  const requestOfLength = (length: string) =>
    new Request(AT, { method: 'POST', headers: { 'content-length': length }, body: 'x' })
  expect(() => limitBody(requestOfLength('8'), 7)).toThrow(BodyTooLong)
  for (const request of [requestOfLength('7'), new Request(AT), new Request(AT, { method: 'DELETE' })])
    expect(limitBody(request, 7)).toBe(request)
})
