/** What git printed about an error, as one line: a message shows a line break as `^J`. */
export function joinLines(printed: string): string {
  return printed.trim().replace(/\s*\n\s*/g, '; ')
}

/** The parts of an error that quotes git. */
export interface GitFailure {
  readonly problem: string
  /** How to use the repository of another user, which git refuses; undefined for other errors. */
  readonly hint?: string
}

/** Reads what git printed about an error. Git translates its sentences, but not the commands in them. */
export function gitFailure(printed: string): GitFailure {
  const command = /^\s*(git config --global --add safe\.directory .+?)\s*$/m.exec(printed)?.[1]
  if (command === undefined) return { problem: joinLines(printed) }
  const [first = ''] = printed.trim().split('\n', 1)
  return {
    problem: first.replace(/^fatal: /, ''),
    hint: `Another user owns the repository, and its settings can start programs. If you trust it, run: ${command}`,
  }
}
