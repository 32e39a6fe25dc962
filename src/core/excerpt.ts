/** Collapses white space, and cuts the text to `most` characters. An ellipsis marks the cut. */
export function excerpt(text: string, most: number): string {
  const characters = [...text.trim().replace(/\s+/g, ' ')]
  return characters.slice(0, most).join('') + (characters.length > most ? '…' : '')
}
