/**
 * What is printed was written by an agent: control characters could repaint the reviewer's screen, direction marks and
 * invisible characters could make a line look like another. They are shown by name instead.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|[\u{e0000}-\u{e007f}]/gu

/** Text of several lines: line ends and tabs stay; a carriage return shows as `^M`, as git shows it. */
export function printable(text: string): string {
  return text.replace(INVISIBLE, named)
}

/** Text that must stay on its line: a path, a name, a reason. */
export function oneLine(text: string): string {
  return printable(text).replace(/[\t\n]/g, named)
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`
  return code === 0x7f ? '^?' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
