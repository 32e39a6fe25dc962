import { defined } from '../core/defined.js'
import { rootOf } from '../index.js'
import type { FoundRepairs } from '../surface/index.js'
import { type Context, EXIT } from './context.js'
import { oneLine } from './printable.js'
import type { Prompts } from './prompts.js'

type FoundRepair = FoundRepairs['repairs'][number]

/** The offered repairs, and which of them were done. */
export interface FixReport {
  readonly repairs: readonly (FoundRepair & {
    /** Whether its commands succeeded; absent if they were not run. */
    readonly done?: boolean
  })[]
  readonly notes: readonly string[]
}

interface Options {
  readonly yes?: true
  readonly json?: boolean
}

/**
 * Lists the repairs that would let this machine contain commands, and runs those that a person agrees to. `--yes`
 * agrees to packages. A repair that opens the machine to others runs only if the person types its name.
 * @throws EscrowError `access_denied` for an agent that confirms by itself
 */
export async function fixMachine(context: Context, { yes, json }: Options): Promise<FixReport> {
  const { io, library, directory } = context
  const { findRepairs, applyRepair, admitPerson } = await library()
  const root = rootOf(directory())
  const { repairs, notes } = await findRepairs(root)
  const say = json ? () => undefined : io.out
  say(describeRepairs({ repairs, notes }))
  if (repairs.length === 0) return { repairs, notes }
  const prompts = json ? undefined : await io.ask?.()
  if (yes !== true && prompts === undefined) {
    io.err("escrow: Nothing was changed: there is no terminal to ask for confirmation. Add '--yes' to confirm.\n")
    context.exit(EXIT.refused)
    return { repairs, notes }
  }
  admitPerson(root, { terminal: io.terminal })
  const done: FixReport['repairs'][number][] = []
  for (const repair of repairs) {
    const isAgreed = repair.run !== undefined && (await isConfirmed(repair, yes === true, prompts))
    done.push({ ...repair, ...defined({ done: isAgreed ? await applyRepair(repair) : undefined }) })
  }
  say(done.map(describeResult).join(''))
  return { repairs: done, notes }
}

/** Asks for one repair. */
async function isConfirmed(repair: FoundRepair, yes: boolean, prompts: Prompts | undefined): Promise<boolean> {
  const { name, opens } = repair
  if (opens === undefined) return yes || (await prompts?.confirm(`Run this for ${name}?`)) === true
  const typed = await prompts?.text(`${opens} To change it, type its name, ${name}:`, {
    placeholder: 'Enter leaves it',
  })
  return typed === name
}

function describeRepairs({ repairs, notes }: FoundRepairs): string {
  if (repairs.length === 0 && notes.length === 0) return 'Nothing has to be fixed for commands.\n'
  const lines = repairs.flatMap(({ name, gives, opens, commands, run }) => [
    `${name}: ${gives}`,
    ...(opens === undefined ? [] : [`  It opens: ${opens}`]),
    ...(run ?? commands).map((command) => `  ${run === undefined ? '# ' : '$ '}${command.join(' ')}`),
    ...(run === undefined ? ['  Run this as root: there is neither sudo nor doas.'] : []),
  ])
  return [...lines, ...notes].map((line) => `${oneLine(line)}\n`).join('')
}

function describeResult({ name, done }: FixReport['repairs'][number]): string {
  if (done === undefined) return `${name}: not changed\n`
  return done ? `${name}: done\n` : `${name}: failed; its output says why\n`
}
