import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { defined } from '../../core/defined.js'
import type { Intent, IntentStatus, Reviewer } from '../../index.js'
import { shellWord } from '../../surface/index.js'
import { oneLine } from '../printable.js'
import { byOption } from '../reviewer.js'

const STATUSES: readonly IntentStatus[] = ['DRAFT', 'PENDING', 'IN_PROGRESS', 'BLOCKED', 'COMPLETED', 'ARCHIVED']

/** The editor of an intent and the reason, for the ledger. */
export interface ChangeOptions {
  readonly by?: Reviewer
  readonly why?: string
}

export function addChangeOptions(command: Command): Command {
  return command.addOption(byOption()).option('--why <text>', 'the reason, for the ledger')
}

/** Options for the descriptive fields of an intent. */
export interface Details {
  readonly constraint?: string[]
  readonly criterion?: string[]
  readonly check?: string[]
  readonly dependsOn?: string[]
}

export function addDetails(command: Command): Command {
  return command
    .option('--constraint <text...>', 'a constraint for the agent')
    .option('--criterion <text...>', 'an acceptance criterion')
    .option('--check <command...>', "a command that must succeed; 'escrow check' runs it")
    .option('--depends-on <id...>', 'intents to complete first')
}

export function detailsOf({ constraint, criterion, check, dependsOn }: Details) {
  return {
    ...defined({
      constraints: constraint,
      acceptanceCriteria: criterion,
      checks: check?.map((run) => ({ run })),
      dependsOn,
    }),
  }
}

export function statusOption(): Option {
  return new Option('--status <status>', 'its status').choices(STATUSES).argParser(parseStatus)
}

/** Parses a status in any case, with `-` or `_`. */
export function parseStatus(text: string): IntentStatus {
  const word = text.toUpperCase().replace('-', '_')
  const status = STATUSES.find((each) => each === word)
  if (!status) throw new InvalidArgumentError(`Give one of ${STATUSES.join(', ')}.`)
  return status
}

export function parseName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Name the task in a few words.')
  return text
}

/** Warns about each glob that is the name of a directory, because it does not match the paths below. */
export function noteDirectories(root: string, id: string, globs: readonly string[] = []): string {
  return globs
    .filter((glob) => existsSync(`${root}/${glob}/.`))
    .map((glob) => glob.replace(/\/+$/, ''))
    .map((name) => {
      const command = `escrow intents scope ${shellWord(id)} --add ${shellWord(`${name}/**`)}`
      return `${oneLine(name)} is a directory: it does not match the paths below it. To add them:\n  ${oneLine(command)}\n`
    })
    .join('')
}

/** `INT-001  PENDING  Show prices with tax`. */
export function intentRow({ id, status, name }: Intent): string[] {
  return [id, status, name]
}
