/** First bytes of the image formats that browsers draw; file names are ignored. */
const MAGIC: readonly (readonly [type: string, offset: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/bmp', 0, 'BM'],
  ['image/x-icon', 0, '\0\0\x01\0'],
]

export const SVG = 'image/svg+xml'

/** The media type of an image; undefined for other content. An SVG is recognized by its name and its root element. */
export function imageType(content: Uint8Array, path: string): string | undefined {
  const head = Buffer.from(content.subarray(0, 32)).toString('latin1')
  const found = MAGIC.find(([, offset, bytes]) => head.startsWith(bytes, offset))
  if (found !== undefined) return found[0]
  const start = path.toLowerCase().endsWith('.svg') ? Buffer.from(content.subarray(0, 1024)).toString('utf8') : ''
  return /<svg[\s>]/.test(start) ? SVG : undefined
}
