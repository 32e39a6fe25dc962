export interface BodyLimits {
  /** Bytes of one event. */
  readonly bytes: number
  /** Milliseconds in which all of it must have come. */
  readonly patience: number
}

const LIMITS: BodyLimits = { bytes: 10 * 1024 * 1024, patience: 10_000 }

/** A request's text. Rejects where it is too long, comes too slowly or breaks off; then no more of it is taken. */
export async function bodyOf(request: Request, more: Partial<BodyLimits> = {}): Promise<string> {
  const { bytes, patience } = { ...LIMITS, ...more }
  const tooLong = `The event has more than ${bytes} bytes.`
  if (Number(request.headers.get('content-length') ?? 0) > bytes) throw new Error(tooLong)
  const reader = request.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void reader.cancel().catch(() => undefined)
  }, patience)
  try {
    for (let size = 0; ; ) {
      const { done, value } = await reader.read()
      if (isLate) throw new Error('The event came too slowly.')
      if (done) return Buffer.concat(chunks).toString('utf8')
      size += value.length
      if (size > bytes) throw new Error(tooLong)
      chunks.push(value)
    }
  } finally {
    clearTimeout(timer)
    void reader.cancel().catch(() => undefined)
  }
}
