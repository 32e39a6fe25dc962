/** The lines that a hunk adds, without their mark. */
export function addedLines(hunk: string): string[] {
  return hunk.split('\n').flatMap((line) => (line.startsWith('+') ? [line.slice(1)] : []))
}
