/** A text as one word of a POSIX shell: as it is where the shell reads it so, else in single quotes. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-][\w./:@%+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
