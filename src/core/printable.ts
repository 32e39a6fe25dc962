/**
 * An agent wrote the displayed text. Its control characters could repaint the reviewer's screen. Direction marks and invisible
 * characters could make one line look like another, or hide text. They are therefore displayed by name. Exceptions are the plain
 * space, and the variation selector after an emoji or in a keycap. This file imports nothing, because the page in a browser also
 * uses it.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffc]|(?! )\p{Zs}|(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f|(?<=[0-9#*])\ufe0f\u20e3)[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu

/** Makes a text of several lines printable. Line ends and tabs stay. A carriage return becomes `^M`, as in git. */
export function printable(text: string): string {
  return text.replace(INVISIBLE, printableCharacter)
}

/** Makes a text printable on one line: a path, a name, a reason. */
export function oneLine(text: string): string {
  return printable(text).replace(/[\t\n]/g, printableCharacter)
}

/** Writes those characters of a JSON text as escapes. Its value stays the same. */
export function printableJson(json: string): string {
  return json.replace(INVISIBLE, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** A part of a text. If `hidden`, it is the name of an invisible character. */
export interface PrintablePart {
  readonly text: string
  readonly hidden: boolean
}

/** As {@link printable}, in parts, so that the name of a hidden character differs from the same text. */
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
