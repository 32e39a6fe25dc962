import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ReviewRules } from '../../hub/index.js'
import type { Context } from '../context.js'
import { parseWholeNumber } from '../numbers.js'
import { pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { collect } from '../repeated.js'
import { type Owner, requireNames, withDatabase, withOwner } from './with-database.js'

interface Options extends Owner {
  readonly approvals?: number
  /** False: remove it. */
  readonly codeowners?: string | false
  readonly team?: readonly string[]
}

/** Adds `escrow hub rules`. */
export function registerRules(hub: Command, context: Context): void {
  const rules = hub.command('rules').description('Who must approve a change before it counts as approved.')
  withOwner(rules.command('show').description('Print the rules of a workspace.')).action((options: Options) =>
    show(context, hub, options),
  )
  withOwner(rules.command('set').description('Set rules of a workspace, for decisions from now on. Others stay.'))
    .option('--approvals <number>', 'how many different people must approve', parseWholeNumber)
    .option('--codeowners <file>', 'a file CODEOWNERS: an owner of each changed path must be among them')
    .option('--no-codeowners', 'remove CODEOWNERS')
    .option('--team <team>', "the members of a team in CODEOWNERS, as '@shop/docs=Ada,Bo'; may be repeated", collect)
    .action((options: Options) => set(context, hub, options))
}

async function show(context: Context, hub: Command, { tenant, workspace }: Options): Promise<void> {
  const rules = await withDatabase(context, hub, (room, database) =>
    room.openStores(database, { tenant, workspace }).rules.get(),
  )
  context.io.out(describe(rules))
}

async function set(context: Context, hub: Command, options: Options): Promise<void> {
  const { tenant, workspace } = options
  requireNames(hub, options)
  const codeowners = textOf(context, options)
  const teams = Object.fromEntries((options.team ?? []).map((each) => teamOf(hub, each)))
  const [rules, idle] = await withDatabase(context, hub, async (room, database) => {
    const store = room.openStores(database, { tenant, workspace }).rules
    const before = await store.get()
    const wanted: ReviewRules = {
      approvals: options.approvals ?? before.approvals,
      codeowners: codeowners === undefined ? before.codeowners : codeowners,
      teams: Object.assign({}, before.teams, teams),
    }
    await store.set(wanted, 'the operator')
    const now = await store.get()
    return [now, room.teamsWithoutPaths(now)] as const
  })
  context.io.out(describe(rules))
  if (idle.length === 0) return
  const where = rules.codeowners === null ? 'There is no CODEOWNERS that names' : 'No line of CODEOWNERS names'
  context.io.err(`Warning: ${where} ${idle.map(oneLine).join(', ')}. Such a team owns no path.\n`)
}

/** The text of CODEOWNERS; null: remove it; undefined: leave it. */
function textOf({ io }: Context, { codeowners }: Options): string | null | undefined {
  // With `--no-codeowners` among the options, Commander makes `true` the default of `--codeowners`.
  if (codeowners === false) return null
  return typeof codeowners === 'string' ? readFileSync(resolve(io.cwd, codeowners), 'utf8') : undefined
}

function teamOf(hub: Command, text: string): [string, string[]] {
  const [, team, members] = /^(@[^=]+)=(.*)$/.exec(text) ?? []
  if (team === undefined || members === undefined)
    return hub.error(`error: '${oneLine(text)}' is not a team: write '@organisation/team=name,name'`)
  return [team, members.split(',').filter((name) => name !== '')]
}

function describe({ approvals, codeowners, teams }: ReviewRules): string {
  const lines = [
    `approvals   ${approvals}`,
    `CODEOWNERS  ${codeowners === null ? 'none' : `${pluralize(codeowners.trimEnd().split('\n').length, 'line')}`}`,
    ...Object.entries(teams).map(([team, members]) => `${oneLine(team)}  ${members.map(oneLine).join(', ')}`),
  ]
  return `${lines.join('\n')}\n`
}
