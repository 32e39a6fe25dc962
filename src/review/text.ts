/** How a content's bytes hold its text. UTF-16 only where a byte order mark says so. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** A content read as text. Its byte order mark, if any, is the text's first character, so nothing of it is lost. */
export interface Text {
  readonly text: string
  readonly encoding: Encoding
}

const DECODERS = {
  'utf-8': new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }),
  'utf-16le': new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }),
  'utf-16be': new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true }),
}

/** Reads a content as text; undefined if it is none: a NUL character, or bytes that its encoding does not know. */
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

/** The very bytes that {@link decodeText} read. */
export function encodeText({ text, encoding }: Text): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text)
  const bytes = Buffer.from(text, 'utf16le')
  return encoding === 'utf-16be' ? bytes.swap16() : bytes
}

/** Lines with what ends them; joined they are the text. */
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
