import { type Command, InvalidArgumentError, Option } from 'commander'
import { defined } from '../../core/defined.js'
import type { Intent, IntentStatus, Reviewer } from '../../index.js'
import { byOption } from '../reviewer.js'

const STATUSES: readonly IntentStatus[] = ['DRAFT', 'PENDING', 'IN_PROGRESS', 'BLOCKED', 'COMPLETED', 'ARCHIVED']

/** Who makes an edit, and why: both go into the ledger. */
export interface ChangeOptions {
  readonly by?: Reviewer
  readonly why?: string
}

export function addChangeOptions(command: Command): Command {
  return command.addOption(byOption()).option('--why <text>', 'the reason, for the ledger')
}

/** What an intent says of itself, as options. */
export interface Details {
  readonly constraint?: string[]
  readonly criterion?: string[]
  readonly dependsOn?: string[]
}

export function addDetails(command: Command): Command {
  return command
    .option('--constraint <text...>', 'a constraint for the agent')
    .option('--criterion <text...>', 'an acceptance criterion')
    .option('--depends-on <id...>', 'intents to complete first')
}

export function detailsOf({ constraint, criterion, dependsOn }: Details) {
  return {
    ...defined({ constraints: constraint, acceptanceCriteria: criterion, dependsOn }),
  }
}

export function statusOption(): Option {
  return new Option('--status <status>', 'its status').choices(STATUSES).argParser(parseStatus)
}

/** In whatever case, with a hyphen for the underscore. */
export function parseStatus(text: string): IntentStatus {
  const word = text.toUpperCase().replace('-', '_')
  const status = STATUSES.find((each) => each === word)
  if (!status) throw new InvalidArgumentError(`Give one of ${STATUSES.join(', ')}.`)
  return status
}

/** `INT-001  PENDING  Show prices with tax`. */
export function rowOf({ id, status, name }: Intent): string[] {
  return [id, status, name]
}
