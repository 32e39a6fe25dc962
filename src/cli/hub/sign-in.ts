import { type Command, Option } from 'commander'
import type { SignInRole } from '../../hub/index.js'
import type { Context } from '../context.js'
import { table } from '../output.js'
import { oneLine } from '../printable.js'
import { collect } from '../repeated.js'
import { type Owner, requireNames, withDatabase, withOwner } from './with-database.js'

interface GroupOptions extends Owner {
  readonly role?: SignInRole
  readonly team?: readonly string[]
}

/** The commands of `hub` for people who sign in by an identity provider. */
export function registerSignIn(hub: Command, context: Context): void {
  const group = hub
    .command('group')
    .description('Which groups of the identity provider have access to a workspace. Others have none.')
  withOwner(
    group
      .command('set')
      .description('Give a group access to a workspace, in place of what it had there.')
      .argument('<name>', 'the group, exactly as the provider writes it')
      .addOption(
        new Option('--role <role>', 'what its members may do').choices(['reviewer', 'admin']).makeOptionMandatory(),
      )
      .option('--team <team>', "a team in CODEOWNERS that its members are, as '@shop/docs'; may be repeated", collect),
  ).action((name: string, options: GroupOptions) => setGroup(context, hub, name, options))
  withOwner(
    group
      .command('remove')
      .description("Remove a group's access to a workspace at once.")
      .argument('<name>', 'the group'),
  ).action((name: string, options: Owner) => removeGroup(context, hub, name, options))
  group
    .command('list')
    .description('List the groups with access, of all workspaces.')
    .action(() => listGroups(context, hub))
  hub
    .command('sign-out')
    .description(
      'End all sign-ins of a person, at once. Their groups at the provider decide whether they can come back.',
    )
    .argument('<name>', 'the name that the page shows')
    .action((name: string) => signOut(context, hub, name))
}

async function setGroup(context: Context, hub: Command, name: string, options: GroupOptions): Promise<void> {
  const { tenant, workspace, role, team: teams = [] } = options
  requireNames(hub, options)
  if (role === undefined) return hub.error("error: required option '--role <role>' not specified")
  await withDatabase(context, hub, (room, database) =>
    room.setSignInGroup(database, { tenant, workspace, name, role, teams }),
  )
  context.io.out(`Members of ${oneLine(name)} are ${role} of ${oneLine(workspace)}.\n`)
}

async function removeGroup(context: Context, hub: Command, name: string, { tenant, workspace }: Owner): Promise<void> {
  await withDatabase(context, hub, (room, database) => room.removeSignInGroup(database, { tenant, workspace, name }))
  context.io.out(`removed  ${oneLine(name)}\n`)
}

async function listGroups(context: Context, hub: Command): Promise<void> {
  const groups = await withDatabase(context, hub, (room, database) => room.listSignInGroups(database))
  const rows = groups.map(({ name, role, workspace, tenant, teams }) => [
    name,
    role,
    workspace,
    tenant,
    teams.join(' '),
  ])
  context.io.out(table(rows.map((row) => row.map(oneLine))))
}

async function signOut(context: Context, hub: Command, name: string): Promise<void> {
  const ended = await withDatabase(context, hub, (room, database) => room.endSignInsNamed(database, name))
  context.io.out(`ended  ${ended} ${ended === 1 ? 'sign-in' : 'sign-ins'}\n`)
}
