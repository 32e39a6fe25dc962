import type { Command } from 'commander'

/**
 * Inserts `--` before the first word that is not an option of a command, so that all later words go to the program:
 * `claude --yes -p 'Fix it' --model x` becomes `claude --yes -- -p 'Fix it' --model x`.
 * @param argv the whole command line; words before the command's name stay unchanged
 */
export function separateOwnOptions(argv: readonly string[], command: Command): string[] {
  const at = argv.indexOf(command.name())
  if (at < 0) return [...argv]
  let next = at + 1
  for (let word = argv[next]; word !== undefined && word !== '--'; word = argv[next]) {
    const name = word.split('=', 1)[0] ?? word
    const option = command.options.find(({ short, long }) => name === short || name === long)
    const isHelp = name === '--help' || name === '-h'
    if (option === undefined && !isHelp) return [...argv.slice(0, next), '--', ...argv.slice(next)]
    next++
    if (!word.includes('=') && option?.required) next++
  }
  return [...argv]
}
