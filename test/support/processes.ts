import { readdirSync, readFileSync } from 'node:fs'

/** Counts the other processes with a word in their command line. */
export function countProcesses(word: string): number {
  return commandsWith(word).length
}

/** The command lines of the other processes with a word in them, as arguments ended by NUL. */
export function commandsWith(word: string): string[] {
  const all = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid))
  return all.map(commandOf).filter((command) => command.includes(word))
}

function commandOf(pid: string): string {
  try {
    return pid === String(process.pid) ? '' : readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
