/** A parsed call of `escrow-sh`. */
export interface ShellCall {
  readonly command: string
  readonly session: string | undefined
  readonly intent: string | undefined
}

export const USAGE = `Usage: escrow-sh [--session ID] [--intent ID] -c COMMAND

Runs COMMAND by /bin/sh, contained, in a session of the escrow workspace the working directory is in. Nothing it does reaches
the disk before a person's review. The session is named by --session or ESCROW_SESSION_ID, its intent by --intent or
ESCROW_INTENT_ID.
`

/** Parses shell arguments. Returns an error message as a string. */
export function parseShellArguments(argv: readonly string[], env: NodeJS.ProcessEnv): ShellCall | string {
  let [session, intent] = [env.ESCROW_SESSION_ID, env.ESCROW_INTENT_ID]
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (word === '--session') session = argv[++at]
    else if (word === '--intent') intent = argv[++at]
    // Hosts may pass -l or -i with -c. Both have no effect here.
    else if (/^-[li]*c[li]*$/.test(word)) {
      const command = argv[at + 1]
      if (command === undefined) return '-c needs a command.'
      if (argv.length > at + 2) return 'Arguments after the command are not passed on. Put them into the command.'
      return { command, session: session || undefined, intent: intent || undefined }
    } else if (!/^(?:-[li]+|--login)$/.test(word)) return `'${word}' is not an option of escrow-sh.`
  }
  return 'No command was given. escrow-sh is not interactive: pass the command with -c.'
}
