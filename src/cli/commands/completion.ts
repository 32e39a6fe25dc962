import { Argument, type Command } from 'commander'
import type { Word } from '../completion/tree.js'
import type { Context } from '../context.js'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
type Shell = (typeof SHELLS)[number]

export function register(command: Command, context: Context): void {
  command
    .description('Print the script that completes commands, options and session ids in your shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { wordsOf } = await import('../completion/tree.js')
      context.io.out(await script(shell, wordsOf(await context.wholeProgram())))
    })
}

async function script(shell: Shell, words: readonly Word[]): Promise<string> {
  switch (shell) {
    case 'bash':
      return (await import('../completion/bash.js')).bashScript(words)
    case 'zsh':
      return (await import('../completion/zsh.js')).zshScript(words)
    case 'fish':
      return (await import('../completion/fish.js')).fishScript(words)
    case 'powershell':
      return (await import('../completion/powershell.js')).powershellScript(words)
  }
}
