import { type Charset, columnsOf } from './text.js'

/** A part of a row of the screen, with the spaces before it. */
export interface Part {
  readonly text: string
  /** 1 is the most important. */
  readonly rank: number
}

/** Joins the parts that fit into a row. Drops the least important parts first. */
export function fitParts(parts: readonly Part[], width: number, charset: Charset): string {
  const kept = new Set<Part>()
  let room = width
  for (const part of [...parts].sort((a, b) => a.rank - b.rank)) {
    room -= columnsOf(part.text, charset)
    if (room < 0 && kept.size > 0) break
    kept.add(part)
  }
  return parts
    .filter((part) => kept.has(part))
    .map(({ text }) => text)
    .join('')
}
