import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { defined } from '../../core/defined.js'
import { findProgram, rootOf } from '../../index.js'
import {
  type EscapeReport,
  failuresOf,
  firstToFix,
  gitHooks,
  launcherDir,
  nameOfContainment,
  stateProblem,
  type TriedContainment,
} from '../../surface/index.js'
import { type CheckedClient, isUsed, renderClients } from '../client-report.js'
import { type Context, EXIT } from '../context.js'
import { describeForeignSettings } from '../foreign-settings.js'
import { describeHiddenHome } from '../hidden-home.js'
import { type AsJson, json, jsonOption, table } from '../output.js'
import { oneLine } from '../printable.js'

interface Options extends AsJson {
  readonly probe?: boolean
  readonly fix?: boolean
  readonly yes?: true
}

export function register(command: Command, context: Context): void {
  const { io, exit, library, directory } = context
  command
    .description(
      'Check that this machine can contain commands and keep state, and say how to fix it if not. Run each hook that escrow init installed once, with an event that changes nothing. List settings in this directory that clients would obey, and programs of a workspace that would start instead of escrow; none of them is run.',
    )
    .addOption(jsonOption())
    .option('--probe', 'try to get out of the containment, and report what it prevented')
    .option('--fix', 'offer what the distribution has against a failure, and install what you agree to')
    .option('-y, --yes', 'with --fix: do not ask about packages; settings of the system are always asked for')
    .action(async (options: Options) => {
      const fix = options.fix ? await (await import('../fix-machine.js')).fixMachine(context, options) : undefined
      const { foreignSettings, checkContainment, triedContainments, probedEscapes, findClients, probeEntry } =
        await library()
      const state = stateProblem()
      const found = [...(await checkContainment()), ...(state === undefined ? [] : [state])]
      const root = rootOf(directory())
      const tried = await triedContainments(root, true)
      const chosen = tried.find(({ works }) => works)
      const probe = options.probe && chosen !== undefined ? await probedEscapes(root) : undefined
      const brought = foreignSettings(root ?? directory())
      const hooks = root === undefined ? undefined : (await gitHooks()).gitHooksIn(root)
      // Hooks start the launcher if it exists, whatever PATH says.
      const { shadow } = existsSync(join(launcherDir(), 'escrow')) ? {} : findProgram('escrow')
      const clients = await Promise.all(
        (root === undefined ? [] : findClients(root).filter(isUsed)).map(async (client): Promise<CheckedClient> => {
          // Never start a program of a workspace.
          if (root === undefined || !client.isEntered || shadow !== undefined) return client
          const blocked = await probeEntry(root, client.client)
          return { ...client, ...defined({ blocked }) }
        }),
      )
      const ok = chosen !== undefined && state === undefined && probe?.held !== false
      if (!ok || clients.some(({ problems, blocked }) => problems !== undefined || blocked !== undefined))
        exit(EXIT.refused)
      if (options.json) {
        const optional = {
          ...(clients.length > 0 && { clients }),
          ...(brought.length > 0 && { brought }),
          ...defined({ hooks }),
        }
        const more = { ...optional, ...defined({ shadow, probe, fix }) }
        io.out(json({ ok, found, containments: tried, ...more }))
        return
      }
      io.out(
        table(found.map(({ name, ok, problem }) => [name, ok ? 'works' : 'does not work', oneLine(problem ?? '')])),
      )
      if (state !== undefined) io.out(`${state.fix}\n`)
      io.out(describeContainments(tried))
      if (chosen?.name.startsWith('namespace')) io.out(describeHiddenHome())
      if (probe !== undefined) io.out(describeProbe(probe))
      if (root !== undefined) io.out(renderClients(clients))
      if (hooks !== undefined) io.out(describeHooks(hooks))
      for (const { client, problems = [] } of clients)
        for (const problem of problems) io.out(`${client}: ${oneLine(problem)}\n`)
      for (const { client, blocked } of clients)
        if (blocked !== undefined) io.out(`${client}: its hook was run once and fails: ${oneLine(blocked)}\n`)
      io.out(describeForeignSettings(brought))
      if (shadow !== undefined)
        io.out(
          `The first 'escrow' on PATH is in a workspace, and a client's hooks would start it: ${oneLine(shadow)}\n` +
            'Remove its directory from PATH, or move it after the directory of your own escrow.\n',
        )
    })
}

/** Describes the containment of commands, or how to get one. */
function describeContainments(tried: readonly TriedContainment[]): string {
  const chosen = tried.find(({ works }) => works)
  const rows = tried.map(({ works, failure, lacks, ...info }) => [
    nameOfContainment(info),
    works ? 'works' : works === false ? 'does not work' : 'lacks protections',
    oneLine(works === undefined ? lacks.join(', ') : (failure?.problem ?? '')),
  ])
  if (chosen !== undefined)
    return [
      table(rows),
      'This machine can contain commands.\n',
      `They run in ${nameOfContainment(chosen)}: ${chosen.title}.\n`,
      describeBetter(tried, chosen),
    ].join('')
  const isWeak = tried.length > 0 && tried.every(({ lacks }) => lacks.length > 0)
  const fix = isWeak ? 'require fewer protections (docs/terminal.md)' : firstToFix(failuresOf(tried))?.fix
  return (
    `${table(rows)}Commands are refused on this machine.${fix === undefined ? '' : ` To fix it: ${oneLine(fix)}`}\n` +
    'To run them on a copy, without containment, write `terminal: { isolation_none: true }` into policy.yaml.\n'
  )
}

/**
 * Describes the protections that the working provider lacks and the best one has, and how to get the best one. Empty if
 * the working one is the best.
 */
function describeBetter(tried: readonly TriedContainment[], chosen: TriedContainment): string {
  const [best] = tried
  if (best === undefined || best.failure === undefined) return ''
  const more = best.keeps.filter((each) => !chosen.keeps.includes(each))
  const without = more.length === 0 ? '' : ` It has no ${more.join(' and no ')}, which ${best.name} has.`
  return (
    `It has every protection that policy requires.${without}\n` + `To have ${best.name}: ${oneLine(best.failure.fix)}\n`
  )
}

function describeHooks({
  present,
  missing,
}: {
  readonly present: readonly string[]
  readonly missing: readonly string[]
}) {
  if (missing.length === 0) return 'git hooks keep the authors of lines.\n'
  const some = present.length === 0 ? '' : `, and ${present.join(', ')} installed`
  return (
    `git hooks that keep the authors of lines: ${missing.join(', ')} not installed${some}.\n` +
    "To install them: 'escrow init --git'.\n"
  )
}

/** Describes the results of the escape attempts, successful escapes first. */
function describeProbe({ containment, held, attempts, untried }: EscapeReport): string {
  const rank = (outcome: string) => ['did not hold', 'not tried', 'held'].indexOf(outcome)
  const rows = [...attempts]
    .sort((a, b) => rank(a.outcome) - rank(b.outcome))
    .map(({ name, outcome, protection, isPromised, detail }) => [
      outcome,
      isPromised ? protection : `${protection} (not promised)`,
      name,
      oneLine(detail ?? ''),
    ])
  const left = untried.length === 0 ? '' : `Nothing was tried on: ${untried.join(', ')}.\n`
  const end = held
    ? `Every promise of ${containment} that was tried held.\n`
    : `${containment} did not keep a promise. Do not run agents in it, and report this (SECURITY.md).\n`
  return `${table(rows)}${left}${end}`
}
