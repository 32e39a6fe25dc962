/** The encoding of a text. UTF-16 needs a byte order mark. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** A decoded content. A byte order mark is the first character of the text, so that encoding it restores all bytes. */
export interface Text {
  readonly text: string
  readonly encoding: Encoding
}

const DECODERS = {
  'utf-8': new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }),
  'utf-16le': new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }),
  'utf-16be': new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true }),
}

/** Decodes a content. Undefined if it is not text: it has a NUL character, or bytes that are invalid in its encoding. */
export function decodeText(content: Uint8Array): Text | undefined {
  const encoding = encodingOf(content)
  if (encoding === 'utf-8' && content.includes(0)) return undefined
  try {
    const text = DECODERS[encoding].decode(content)
    return text.includes('\0') ? undefined : { text, encoding }
  } catch {
    return undefined
  }
}

/** Returns the bytes that {@link decodeText} decoded. */
export function encodeText({ text, encoding }: Text): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text)
  const bytes = Buffer.from(text, 'utf16le')
  return encoding === 'utf-16be' ? bytes.swap16() : bytes
}

/** Splits a text into lines with their line ends. */
export function linesOf(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    lines.push(text.slice(start, end + 1))
    start = end + 1
  }
  if (start < text.length) lines.push(text.slice(start))
  return lines
}

/** True if a text begins with a byte order mark. */
export function isMarked(text: string): boolean {
  return text.startsWith('\uFEFF')
}

function encodingOf(content: Uint8Array): Encoding {
  if (content[0] === 0xff && content[1] === 0xfe) return 'utf-16le'
  return content[0] === 0xfe && content[1] === 0xff ? 'utf-16be' : 'utf-8'
}
