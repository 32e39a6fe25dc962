/** Small chunks are merged up to this many bytes. */
const PIECE = 4 * 1024

/** The last bytes of a command's output, addressed by their offset in the whole output. */
export class OutputRing {
  #chunks: Buffer[] = []
  #size = 0
  #end = 0

  /** @param capacity bytes to hold. */
  constructor(private readonly capacity: number) {}

  add(chunk: Uint8Array): void {
    const last = this.#chunks.at(-1)
    // Copied, because a chunk may be a slice of a much larger buffer; merged, because many small buffers cost more than their bytes.
    if (last && last.length + chunk.length <= PIECE)
      this.#chunks[this.#chunks.length - 1] = Buffer.concat([last, chunk])
    else this.#chunks.push(Buffer.from(chunk))
    this.#size += chunk.length
    this.#end += chunk.length
    while (this.#size > this.capacity) this.#drop(this.#size - this.capacity)
  }

  #drop(bytes: number): void {
    const first = this.#chunks[0]
    if (first === undefined) return
    const gone = Math.min(bytes, first.length)
    if (gone === first.length) this.#chunks.shift()
    else this.#chunks[0] = first.subarray(gone)
    this.#size -= gone
  }

  /**
   * Reads the output from an offset. `from` is later than `since` if older output was dropped. An incomplete UTF-8
   * character at the end is left for the next read, unless the output is over.
   */
  read(since: number, isOver: boolean): { readonly text: string; readonly from: number; readonly next: number } {
    const start = this.#end - this.#size
    const from = Math.min(Math.max(since, start), this.#end)
    const all = Buffer.concat(this.#chunks).subarray(from - start)
    const whole = isOver ? all.length : wholeCharacters(all)
    return { text: all.toString('utf8', 0, whole), from, next: from + whole }
  }
}

/** Length up to the last complete UTF-8 character (RFC 3629: the first byte gives the length of a character). */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
