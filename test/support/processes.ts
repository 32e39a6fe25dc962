import { readdirSync, readFileSync } from 'node:fs'

/** Counts the other processes with a word in their command line. */
export function countProcesses(word: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(word)).length
}

function commandOf(pid: string): string {
  try {
    return pid === String(process.pid) ? '' : readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
