const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/

/** The bytes of a base64 text with standard or URL-safe letters; undefined if it is not canonical. */
export function bytesOf(text: string): Buffer | undefined {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  if (!STANDARD.test(standard)) return undefined
  const bytes = Buffer.from(standard, 'base64')
  // Node ignores what it cannot decode: bits after the end would give one content two spellings.
  const isSame = bytes.toString('base64').replace(/=+$/, '') === standard.replace(/=+$/, '')
  return isSame ? bytes : undefined
}
