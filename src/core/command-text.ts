/** The lines of a command. A script has several. */
export function commandLines(command: string): readonly string[] {
  return command.trim().split(/\r?\n/)
}

/** What a question that shows a command's lines below it calls the command: the command, or how many lines it has. */
export function nameCommand(command: string): string {
  const lines = commandLines(command)
  return lines.length < 2 ? command : `these ${lines.length} lines`
}

/**
 * Formats a command in one row: its first line, and the number of the lines after it. A command of one line stays as it
 * is.
 */
export function briefCommand(command: string): string {
  const [first = '', ...rest] = commandLines(command)
  return rest.length === 0 ? first : `${first.trimEnd()}${countRest(rest)}`
}

/** @param rest the lines that are left out */
function countRest(rest: readonly string[]): string {
  return ` … (${rest.length} more ${rest.length === 1 ? 'line' : 'lines'})`
}
