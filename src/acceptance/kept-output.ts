import { OutputRing } from '../terminal/index.js'

/** Bytes kept of the beginning of the output, and of its end. */
const HEAD = 16 * 1024
const TAIL = 48 * 1024

/** Keeps the beginning and the end of a command's output, in the order in which it came. */
export class KeptOutput {
  readonly #head: Buffer[] = []
  readonly #tail = new OutputRing(TAIL)
  #length = 0

  add(chunk: Uint8Array): void {
    const free = Math.max(0, HEAD - this.#length)
    this.#length += chunk.length
    if (free > 0) this.#head.push(Buffer.from(chunk.subarray(0, free)))
    if (chunk.length > free) this.#tail.add(chunk.subarray(free))
  }

  /** @param mask applied to each part */
  read(mask: (text: string) => string): { readonly output: string; readonly truncated: boolean } {
    const { text, from } = this.#tail.read(0, true)
    const head = Buffer.concat(this.#head).toString('utf8')
    if (from === 0) return { output: mask(`${head}${text}`), truncated: false }
    return { output: `${mask(head)}\n… ${from} bytes dropped …\n${mask(text)}`, truncated: true }
  }
}
