import type { Line, Style } from './text.js'

/** The SGR codes of each style. NO_COLOR omits `color` only. */
const SGR_CODES: Readonly<Record<Style, { readonly form?: string; readonly color?: string }>> = {
  plain: {},
  dim: { form: '2' },
  bold: { form: '1' },
  bar: { form: '7' },
  mark: { form: '1', color: '36' },
  group: { form: '1', color: '35' },
  hunk: { color: '36' },
  ok: { form: '1', color: '32' },
  no: { form: '1', color: '31' },
  wait: { color: '33' },
  warn: { form: '1', color: '33' },
  add: { color: '32' },
  remove: { color: '31' },
  addWord: { form: '7', color: '32' },
  removeWord: { form: '7', color: '31' },
  keyword: { color: '35' },
  string: { color: '33' },
  number: { color: '36' },
  comment: { form: '2' },
  name: { color: '34' },
}

/** Converts a line to text with SGR codes. Each span resets its style at its end. */
export function paint(line: Line, color: boolean): string {
  return line.map(({ text, style }) => paintText(text, style, color)).join('')
}

function paintText(text: string, style: Style, hasColor: boolean): string {
  const { form, color } = SGR_CODES[style]
  const codes = [form, hasColor ? color : undefined].filter((code) => code !== undefined)
  return codes.length === 0 ? text : `\x1b[${codes.join(';')}m${text}\x1b[m`
}
