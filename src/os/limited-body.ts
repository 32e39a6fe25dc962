/** Thrown by {@link limitBody}, and by the reader of the body that it returns. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong'
  constructor(readonly most: number) {
    super(`A request has at most ${most} bytes.`)
  }
}

/**
 * Returns a request whose body ends with an error after a number of bytes. A body without a length is counted while it is read, so a
 * caller who is refused first has cost no memory.
 * Hono's own limit fails for such a body where the server does not replace the global Request.
 * @throws BodyTooLong if the request says that its body is longer
 */
export function limitBody(request: Request, most: number): Request {
  const { method, headers } = request
  if (method === 'GET' || method === 'HEAD') return request
  const length = headers.get('content-length')
  // Node reads no more than this length, and refuses a request with both headers.
  if (length !== null && !headers.has('transfer-encoding')) {
    if (Number(length) > most) throw new BodyTooLong(most)
    return request
  }
  if (request.body === null) return request
  const { url, signal } = request
  // The types of the DOM lack `duplex`, which a body that is a stream needs.
  const sent = { body: limitStream(request.body, most), duplex: 'half' }
  return new Request(url, Object.assign({ method, headers, signal }, sent))
}

function limitStream(body: ReadableStream<Uint8Array>, most: number): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let size = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        size += value.length
        if (size > most) throw new BodyTooLong(most)
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
