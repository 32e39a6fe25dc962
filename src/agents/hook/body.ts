export interface BodyLimits {
  /** Bytes of one event. */
  readonly bytes: number
  /** Milliseconds in which all of it must have come. */
  readonly patience: number
}

const LIMITS: BodyLimits = { bytes: 10 * 1024 * 1024, patience: 10_000 }

/** What comes of a request, piece by piece. */
export interface Incoming {
  /** What its head says, if it does. */
  readonly length: string | null | undefined
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>
  /** No more of it is wanted; it may be called after the end, too. */
  cancel(): void
}

/** A request's text. Rejects where it is too long, comes too slowly or breaks off; then no more of it is taken. */
export async function bodyOf(incoming: Incoming, more: Partial<BodyLimits> = {}): Promise<string> {
  const { bytes, patience } = { ...LIMITS, ...more }
  const tooLong = `The event has more than ${bytes} bytes.`
  if (Number(incoming.length ?? 0) > bytes) throw new Error(tooLong)
  const chunks: Uint8Array[] = []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The event took too long to arrive.')), patience)
  })
  try {
    for (let size = 0; ; ) {
      const { done, value } = await Promise.race([incoming.next(), late])
      if (done === true || value === undefined) return Buffer.concat(chunks).toString('utf8')
      size += value.length
      if (size > bytes) throw new Error(tooLong)
      chunks.push(value)
    }
  } finally {
    clearTimeout(timer)
    incoming.cancel()
  }
}
