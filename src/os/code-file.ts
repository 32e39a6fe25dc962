import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * The file of compiled code: the SHA-256 of the rest (32 bytes), the length of a list (4 bytes, little endian), the list as JSON
 * (`[name, length][]`), and the code of each file on it. V8 rejects code of another version of itself, but it does not notice damage.
 */

const DIGEST_BYTES = 32
const LENGTH_BYTES = 4

/** The code of the bundle's files by their names. */
type Code = ReadonlyMap<string, Uint8Array>

export function formatCode(code: Code): Uint8Array {
  const list = Buffer.from(JSON.stringify([...code].map(([name, { length }]) => [name, length])))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(list.length)
  const rest = Buffer.concat([length, list, ...code.values()])
  return Buffer.concat([digestOf(rest), rest])
}

/** Empty if there is no such file, or it is damaged: the code is compiled then. */
export function readCode(file: string): Code {
  const code = new Map<string, Uint8Array>()
  try {
    const bytes = readFileSync(file)
    const rest = bytes.subarray(DIGEST_BYTES)
    if (!digestOf(rest).equals(bytes.subarray(0, DIGEST_BYTES))) return code
    let end = LENGTH_BYTES + rest.readUInt32LE(0)
    const list: [name: string, length: number][] = JSON.parse(rest.toString('utf8', LENGTH_BYTES, end))
    for (const [name, length] of list) {
      code.set(name, rest.subarray(end, end + length))
      end += length
    }
  } catch {
    return new Map()
  }
  return code
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
