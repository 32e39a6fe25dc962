import type { Command } from 'commander'
import { type ClientName, type FoundClient, findProgram, rootOf } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { describeForeignSettings } from '../foreign-settings.js'
import { type AsJson, json, jsonOption, table } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, exit, library, directory }: Context): void {
  command
    .description(
      'Try what running commands in containment needs of this machine, and name what mends it. Name the settings that clients would ' +
        'take from this directory, and programs of a workspace that a shell would start in the place of ours; none of them is run. Run the ' +
        'hook that escrow init entered for each client, with an event that changes nothing.',
    )
    .addOption(jsonOption())
    .action(async (options: AsJson) => {
      const { foreignSettings, checkContainment, findClients, probeEntry } = await library()
      const found = await checkContainment()
      const root = rootOf(directory())
      const brought = foreignSettings(root ?? directory())
      const { shadow } = findProgram('escrow')
      const clients = await Promise.all(
        (root === undefined ? [] : findClients(root)).map(async (each): Promise<Checked> => {
          // The program of a workspace is never started.
          if (root === undefined || !each.isEntered || shadow !== undefined) return each
          const blocked = await probeEntry(root, each.client)
          return { ...each, ...(blocked !== undefined && { blocked }) }
        }),
      )
      const lacking = found.find(({ ok }) => !ok)
      if (lacking || clients.some(({ problems, blocked }) => problems !== undefined || blocked !== undefined))
        exit(EXIT.refused)
      if (options.json) {
        const told = { ...(clients.length > 0 && { clients }), ...(brought.length > 0 && { brought }) }
        io.out(json({ ok: lacking === undefined, found, ...told, ...(shadow !== undefined && { shadow }) }))
        return
      }
      io.out(
        table(found.map(({ name, ok, problem }) => [name, ok ? 'works' : 'does not work', oneLine(problem ?? '')])),
      )
      if (lacking === undefined) io.out('Commands can be contained here.\n')
      else
        io.out(
          `Commands are refused here.${lacking.mend === undefined ? '' : ` To mend it: ${oneLine(lacking.mend)}`}\n` +
            'They can run on a copy, held in by nothing, where policy.yaml says `terminal: { isolation_none: true }`.\n',
        )
      if (clients.length > 0) io.out(table(clients.map((each) => [each.client, ...messageOf(each)])))
      for (const { client, problems = [] } of clients)
        for (const problem of problems) io.out(`${client}: ${oneLine(problem)}\n`)
      for (const { client, blocked } of clients)
        if (blocked !== undefined) io.out(`${client}: its hook was run, and refuses each tool: ${oneLine(blocked)}\n`)
      io.out(describeForeignSettings(brought))
      if (shadow !== undefined)
        io.out(
          `The first 'escrow' on PATH lies in a workspace, and a client's hooks would start it: ${oneLine(shadow)}\n` +
            'Take its directory out of PATH, or put it behind the one that has your own.\n',
        )
    })
}

/** How a client is governed where we are entered, and what becomes of a tool where our hook fails altogether. */
const GOVERNED: Readonly<Record<ClientName, readonly [how: string, failing: string]>> = {
  claude: [
    'governed by hooks; what it writes is staged by our MCP server',
    'fails closed from 2.1.330 on, before that open',
  ],
  cline: ['governed by hooks; it stages nothing by itself', 'fails open where the hook cannot be run'],
  codex: [
    'governed by hooks that you have trusted there; it stages nothing by itself',
    'fails open where the hook takes too long, and for tools it asks no hook about',
  ],
  gemini: [
    'governed by hooks in folders you trust there; it stages nothing by itself',
    'fails open where the hook takes too long',
  ],
  opencode: ['governed by a plugin; it stages nothing by itself', 'fails open where plugins are switched off'],
  roo: ['not governed by this: our MCP server is beside its own tools', 'see docs/hosts/roo.md'],
  mcp: ['not governed by this: our MCP server is beside its own tools', "run it whole by 'escrow run'"],
}

/** A client, and what its hook says where it was run. */
interface Checked extends FoundClient {
  readonly blocked?: string
}

function messageOf({ client, isEntered, problems, blocked }: Checked): readonly string[] {
  if (problems !== undefined) return ['not governed', 'escrow is entered there, and its hooks do not run']
  if (blocked !== undefined) return ['blocked', 'escrow is entered there, and its hook refuses each tool']
  return isEntered
    ? GOVERNED[client]
    : ['not governed', `enter escrow by 'escrow init --${client}', or run it by 'escrow run'`]
}
