import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { defined } from '../../core/defined.js'
import { profileOf } from '../../hosts/index.js'
import { findProgram, rootOf } from '../../index.js'
import { type FoundClient, launcherDir } from '../../surface/index.js'
import { type Context, EXIT } from '../context.js'
import { describeForeignSettings } from '../foreign-settings.js'
import { type AsJson, json, jsonOption, table } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, exit, library, directory }: Context): void {
  command
    .description(
      'Try what running commands in containment needs of this machine, and name what mends it. Name the settings that clients would ' +
        'take from this directory, and programs of a workspace that a shell would start in the place of ours; none of them is run. Run the ' +
        'entry that escrow init made for each client once, as the client would, with an event that changes nothing.',
    )
    .addOption(jsonOption())
    .action(async (options: AsJson) => {
      const { foreignSettings, checkContainment, findClients, probeEntry } = await library()
      const found = await checkContainment()
      const root = rootOf(directory())
      const brought = foreignSettings(root ?? directory())
      // Our own launcher comes first, wherever PATH leads.
      const { shadow } = existsSync(join(launcherDir(), 'escrow')) ? {} : findProgram('escrow')
      const clients = await Promise.all(
        (root === undefined ? [] : findClients(root)).map(async (each): Promise<Checked> => {
          // The program of a workspace is never started.
          if (root === undefined || !each.isEntered || shadow !== undefined) return each
          const blocked = await probeEntry(root, each.client)
          return { ...each, ...defined({ blocked }) }
        }),
      )
      const lacking = found.find(({ ok }) => !ok)
      if (lacking || clients.some(({ problems, blocked }) => problems !== undefined || blocked !== undefined))
        exit(EXIT.refused)
      if (options.json) {
        const told = { ...(clients.length > 0 && { clients }), ...(brought.length > 0 && { brought }) }
        io.out(json({ ok: lacking === undefined, found, ...told, ...defined({ shadow }) }))
        return
      }
      io.out(
        table(found.map(({ name, ok, problem }) => [name, ok ? 'works' : 'does not work', oneLine(problem ?? '')])),
      )
      if (lacking === undefined) io.out('Commands can be contained here.\n')
      else
        io.out(
          `Commands are refused here.${lacking.fix === undefined ? '' : ` To fix it: ${oneLine(lacking.fix)}`}\n` +
            'They can run on a copy, without containment, where policy.yaml says `terminal: { isolation_none: true }`.\n',
        )
      if (clients.length > 0) io.out(table(clients.map((each) => [each.client, ...messageOf(each)])))
      for (const { client, problems = [] } of clients)
        for (const problem of problems) io.out(`${client}: ${oneLine(problem)}\n`)
      for (const { client, blocked } of clients)
        if (blocked !== undefined) io.out(`${client}: its entry was run once and fails: ${oneLine(blocked)}\n`)
      io.out(describeForeignSettings(brought))
      if (shadow !== undefined)
        io.out(
          `The first 'escrow' on PATH lies in a workspace, and a client's hooks would start it: ${oneLine(shadow)}\n` +
            'Take its directory out of PATH, or put it behind the one that has your own.\n',
        )
    })
}

/** A client, and what its hook says where it was run. */
interface Checked extends FoundClient {
  readonly blocked?: string
}

function messageOf({ client, isEntered, problems, blocked }: Checked): readonly string[] {
  if (problems !== undefined) return ['not governed', 'escrow is entered there, and its hooks do not run']
  if (blocked !== undefined) return ['blocked', 'escrow is entered there, and its entry fails']
  return isEntered
    ? [profileOf(client).governed.how, profileOf(client).governed.failing]
    : ['not governed', `enter escrow by 'escrow init --${client}', or run it by 'escrow run'`]
}
