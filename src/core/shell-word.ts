/** Quotes a text as one word of a POSIX shell, if it needs quotes. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-][\w./:@%+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
