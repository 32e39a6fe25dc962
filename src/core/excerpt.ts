/** The beginning of a text on one line: each run of white space is a space, and what is left out is an ellipsis. */
export function excerpt(text: string, most: number): string {
  const characters = [...text.trim().replace(/\s+/g, ' ')]
  return characters.slice(0, most).join('') + (characters.length > most ? '…' : '')
}
