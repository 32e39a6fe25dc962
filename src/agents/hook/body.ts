export interface BodyLimits {
  /** The most bytes of one event. */
  readonly bytes: number
  /** The most milliseconds for the whole event to arrive. */
  readonly patience: number
}

const DEFAULT_LIMITS: BodyLimits = { bytes: 10 * 1024 * 1024, patience: 10_000 }

/** The body of a request, chunk by chunk. */
export interface BodyReader {
  /** The content-length header, if present. */
  readonly length: string | null | undefined
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>
  /** Stops reading. It may be called after the end. */
  cancel(): void
}

/** Reads a request's text. Rejects if it is too long, too slow or incomplete, and stops reading then. */
export async function readBody(incoming: BodyReader, more: Partial<BodyLimits> = {}): Promise<string> {
  const { bytes, patience } = { ...DEFAULT_LIMITS, ...more }
  const tooLong = `The event has more than ${bytes} bytes.`
  if (Number(incoming.length ?? 0) > bytes) throw new Error(tooLong)
  const chunks: Uint8Array[] = []
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The event took too long to arrive.')), patience)
  })
  try {
    for (let size = 0; ; ) {
      const { done, value } = await Promise.race([incoming.next(), timeout])
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
