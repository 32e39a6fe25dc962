/** Bytes up to which what is said in small pieces is held as one. */
const PIECE = 4 * 1024

/** The last bytes a command has said, by their place in all it said. */
export class OutputRing {
  #chunks: Buffer[] = []
  #held = 0
  #end = 0

  /** @param room bytes that are held. */
  constructor(private readonly room: number) {}

  add(chunk: Uint8Array): void {
    const last = this.#chunks.at(-1)
    // A copy: a chunk may be a piece of a buffer that is much larger. Many small ones would weigh more than what they hold.
    if (last && last.length + chunk.length <= PIECE)
      this.#chunks[this.#chunks.length - 1] = Buffer.concat([last, chunk])
    else this.#chunks.push(Buffer.from(chunk))
    this.#held += chunk.length
    this.#end += chunk.length
    while (this.#held > this.room) this.#letGo(this.#held - this.room)
  }

  #letGo(bytes: number): void {
    const first = this.#chunks[0]
    if (first === undefined) return
    const gone = Math.min(bytes, first.length)
    if (gone === first.length) this.#chunks.shift()
    else this.#chunks[0] = first.subarray(gone)
    this.#held -= gone
  }

  /**
   * What was said from a position on, as far as it is still held: `from` is later than asked where some was let go.
   * A character that has only begun is left for the next time, unless there is none.
   */
  read(since: number, isOver: boolean): { readonly text: string; readonly from: number; readonly next: number } {
    const start = this.#end - this.#held
    const from = Math.min(Math.max(since, start), this.#end)
    const all = Buffer.concat(this.#chunks).subarray(from - start)
    const whole = isOver ? all.length : wholeCharacters(all)
    return { text: all.toString('utf8', 0, whole), from, next: from + whole }
  }
}

/** Bytes up to the last character that is complete (RFC 3629: the first byte says how many there are). */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
