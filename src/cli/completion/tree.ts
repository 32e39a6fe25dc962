import type { Argument, Command, Option } from 'commander'

/** What can be typed behind a command, or behind `escrow` itself. */
export interface Word {
  /** The commands that lead to it, `/intents/add`; empty for `escrow`. */
  readonly path: string
  readonly commands: readonly Named[]
  readonly options: readonly Switch[]
  /** It takes a session's id. */
  readonly takesSession: boolean
  /** What its first argument can be, where that is a fixed set. */
  readonly choices: readonly string[]
}

interface Named {
  readonly name: string
  readonly about: string
}

export interface Switch {
  readonly long?: string
  readonly short?: string
  readonly about: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

/** A command and all below it, flat. */
export function wordsOf(command: Command, path = ''): Word[] {
  const help = { long: '--help', short: '-h', about: 'display help', takesValue: false, choices: [] }
  const [first] = command.registeredArguments
  const own: Word = {
    path,
    commands: command.commands.map((each) => ({
      name: each.name(),
      about: each.summary() || firstLine(each.description()),
    })),
    options: [...command.options.map(switchOf), help],
    takesSession: command.registeredArguments.some((argument: Argument) => argument.name() === 'session'),
    choices: first?.argChoices ?? [],
  }
  return [own, ...command.commands.flatMap((each) => wordsOf(each, `${path}/${each.name()}`))]
}

function switchOf({ long, short, description, required, optional, argChoices = [] }: Option): Switch {
  return {
    ...(typeof long === 'string' && { long }),
    ...(typeof short === 'string' && { short }),
    about: firstLine(description),
    takesValue: required || optional,
    choices: argChoices,
  }
}

/** The first sentence, without what would end a description in a shell's list. */
function firstLine(text: string): string {
  return (/^.*?[.;](?= |$)|^.*/s.exec(text)?.[0] ?? '').replace(/\s+/g, ' ').replace(/[.;:]$/, '')
}

/** A text as one word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
