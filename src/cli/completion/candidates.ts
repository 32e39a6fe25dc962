import type { Argument, Command, Option } from 'commander'

/** A possible next word, with a short description. */
export interface Candidate {
  readonly value: string
  readonly about: string
}

/** The source of an argument's or option's values. `files` leaves them to the shell; `text` has none. */
export type Source =
  | 'sessions'
  | 'intents'
  | 'hunks'
  | 'calls'
  | 'staged'
  | 'quarantined'
  | 'snapshots'
  | 'commits'
  | 'questions'
  | 'requests'
  | 'templates'
  | 'files'
  | 'text'

/** Reads values from the workspace. @param session the session on the command line, if any */
export type ReadSource = (source: Source, session: string | undefined) => Promise<readonly Candidate[]>

/** Sources by argument name, for every command. */
export const ARGUMENT_SOURCES: Readonly<Record<string, Source>> = {
  session: 'sessions',
  paths: 'staged',
  path: 'files',
  snapshot: 'snapshots',
  commits: 'commits',
  question: 'questions',
  intent: 'intents',
  sentences: 'intents',
  id: 'intents',
  commit: 'text',
  range: 'text',
  ref: 'text',
  name: 'text',
  status: 'text',
  program: 'text',
  url: 'text',
  agent: 'text',
  arguments: 'text',
  command: 'text',
  line: 'text',
  log: 'files',
  machine: 'text',
  proof: 'files',
}

/** Sources by the long name of an option, for every command. Every other option takes free text or files. */
const OPTION_SOURCES: Readonly<Record<string, Source>> = {
  '--session': 'sessions',
  '--intent': 'intents',
  '--depends-on': 'intents',
  '--hunk': 'hunks',
  '--call': 'calls',
  '--take': 'quarantined',
  '--drop': 'quarantined',
  '--accept': 'requests',
  '--refuse': 'requests',
  '--from': 'templates',
}

/** A command line up to the cursor, parsed. */
interface Line {
  readonly command: Command
  readonly positionals: readonly string[]
  /** The option whose value is at the cursor. */
  readonly option?: Option
  /** The value of `-C`. */
  readonly directory?: string
  /** The word `--` was typed: no options follow. */
  readonly ended: boolean
}

/**
 * Parses the words of a command line.
 *
 * @param program `escrow` with all its commands
 * @param words the words before the one at the cursor, without `escrow`
 */
export function parseLine(program: Command, words: readonly string[]): Line {
  let command = program
  let option: Option | undefined
  let directory: string | undefined
  let ended = false
  const positionals: string[] = []
  for (const word of words) {
    if (!ended && word === '--') {
      ended = true
      option = undefined
    } else if (!ended && word.startsWith('-')) {
      option = awaitingValue(findOption(command, program, word), word)
    } else if (option !== undefined) {
      if (option.short === '-C') directory = word
      if (!option.variadic) option = undefined
    } else {
      const next: Command | undefined =
        positionals.length === 0 ? command.commands.find((each) => each.name() === word) : undefined
      if (next === undefined) positionals.push(word)
      else command = next
    }
  }
  return {
    command,
    positionals,
    ended,
    ...(option !== undefined && { option }),
    ...(directory !== undefined && { directory }),
  }
}

function findOption(command: Command, program: Command, word: string): Option | undefined {
  const [name = ''] = word.split('=', 1)
  return [...command.options, ...program.options].find(({ long, short }) => name === long || name === short)
}

function awaitingValue(option: Option | undefined, word: string): Option | undefined {
  return option !== undefined && !word.includes('=') && (option.required || option.optional) ? option : undefined
}

/**
 * Lists what can follow a command line.
 *
 * @param current the start of the word at the cursor; may be ''
 */
export async function candidatesFor(line: Line, current: string, read: ReadSource): Promise<readonly Candidate[]> {
  const all = await allCandidates(line, current, read)
  return all.filter(({ value }) => value.startsWith(current))
}

async function allCandidates(
  { command, positionals, option, ended }: Line,
  current: string,
  read: ReadSource,
): Promise<readonly Candidate[]> {
  const [session] = command.registeredArguments[0]?.name() === 'session' ? positionals : []
  if (option !== undefined)
    return option.argChoices === undefined ? read(sourceOfOption(option), session) : toCandidates(option.argChoices)
  if (current.startsWith('-') && !ended)
    return [...command.options.filter(({ hidden }) => !hidden).flatMap(namesOf), ...toCandidates(['--help'])]
  const commands = positionals.length > 0 || ended ? [] : command.commands.map(candidateOf)
  const argument = argumentAt(command, positionals.length)
  if (argument === undefined) return commands
  if (argument.argChoices !== undefined) return [...commands, ...toCandidates(argument.argChoices)]
  return [...commands, ...(await read(ARGUMENT_SOURCES[argument.name()] ?? 'text', session))]
}

export function sourceOfOption({ long }: Option): Source {
  return (typeof long === 'string' ? OPTION_SOURCES[long] : undefined) ?? 'files'
}

/** The argument at an index. A variadic last argument takes all further words. */
function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1)
  return registeredArguments[index] ?? (last?.variadic ? last : undefined)
}

function toCandidates(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, about: '' }))
}

function namesOf({ long, short, description }: Option): Candidate[] {
  return [long, short].flatMap((name) =>
    typeof name === 'string' ? [{ value: name, about: firstSentence(description) }] : [],
  )
}

function candidateOf(command: Command): Candidate {
  return { value: command.name(), about: command.summary() || firstSentence(command.description()) }
}

function firstSentence(text: string): string {
  return (/^.*?[.;](?= |$)|^.*/s.exec(text)?.[0] ?? '').replace(/\s+/g, ' ').replace(/[.;:]$/, '')
}
