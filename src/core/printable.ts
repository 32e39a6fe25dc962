/**
 * What is shown was written by an agent: control characters could repaint the reviewer's screen, direction marks and
 * invisible characters could make a line look like another or carry a text nobody sees. They are shown by name instead, but
 * for the one selector behind an emoji or in a keycap, and the plain blank. This file imports nothing: the
 * page in a browser uses it too.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffc]|(?! )\p{Zs}|(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f|(?<=[0-9#*])\ufe0f\u20e3)[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu

/** Text of several lines: line ends and tabs stay; a carriage return shows as `^M`, as git shows it. */
export function printable(text: string): string {
  return text.replace(INVISIBLE, printableCharacter)
}

/** Text that must stay on its line: a path, a name, a reason. */
export function oneLine(text: string): string {
  return printable(text).replace(/[\t\n]/g, printableCharacter)
}

/** A part of a text; a hidden one is the name of a character that would not be seen. */
export interface PrintablePart {
  readonly text: string
  readonly hidden: boolean
}

/** As {@link printable}, with what stands for a hidden character kept apart from a text that merely says the same. */
export function printableParts(text: string): PrintablePart[] {
  const parts: PrintablePart[] = []
  let at = 0
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    if (index > at) parts.push({ text: text.slice(at, index), hidden: false })
    parts.push({ text: printableCharacter(character), hidden: true })
    at = index + character.length
  }
  if (at < text.length) parts.push({ text: text.slice(at), hidden: false })
  return parts
}

function printableCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`
  return code === 0x7f ? '^?' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
