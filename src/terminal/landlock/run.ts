import type { ChildProcess, StdioOptions } from 'node:child_process'
import { createRequire } from 'node:module'
import { Duplex } from 'node:stream'
import { startProgram } from '../../os/child.js'
import { type CommandEnd, type CommandOptions, collect, createStopper, exitOf } from '../command-io.js'
import type { LoopbackGate } from '../network/loopback-gate.js'
import { memoryLimit } from '../process-load.js'
import { type Architecture, ownArchitecture, SYSTEM_CALLS, type SystemCall } from '../system-calls.js'
import { ASKED, aloneFilter, type CommandNetwork } from './filter.js'
import { LAUNCHER, type LaunchJob, type LaunchMachine, type LaunchReport } from './launch-job.js'
import { launcherProgram } from './launcher.js'
import { makeOwnHome } from './own-home.js'
import { ALL_FILE_RIGHTS, ALL_NETWORK_RIGHTS, ALL_SCOPES, rulesFor } from './rules.js'

/** Where a command runs. */
export interface AloneTree {
  readonly root: string
  /** The copy of the workspace. */
  readonly tree: string
  /** A directory for temporary files. */
  readonly temporary: string
  /** A free path for a home directory of a client. */
  readonly home: string
}

/** A launcher that waits for its job. */
export type Launcher = Pick<ReturnType<typeof startLauncher>, 'child' | 'channel'>

/**
 * Starts a launcher. It is ready once its Node has started.
 * @param terminal whether its command inherits our input, output and terminal
 */
export function startLauncher(terminal: boolean) {
  const own = terminal ? 'inherit' : 'pipe'
  const stdio: StdioOptions = [own, own, own, 'pipe']
  const child = startProgram(process.execPath, ['-e', launcherProgram(machine())], stdio, terminal)
  // Without it, an error before the run would end this process.
  child.on('error', () => undefined)
  return { child, channel: channelOf(child) }
}

/**
 * Runs a command under Landlock and a seccomp filter, without a namespace. When it resolves, no process of the command is left.
 * @param waiting a launcher of no terminal that was started before
 * @throws Error if a restriction could not be applied. Then nothing was started.
 */
export async function runAlone(place: AloneTree, options: CommandOptions, waiting?: Launcher): Promise<CommandEnd> {
  const launcher = waiting ?? startLauncher(options.terminal === true)
  try {
    return await runOn(launcher, place, options)
  } finally {
    // It ends with its channel, even if it got no job.
    launcher.channel.destroy()
  }
}

async function runOn(launcher: Launcher, place: AloneTree, options: CommandOptions): Promise<CommandEnd> {
  const { network } = options
  if (typeof network === 'boolean')
    return launch(launcher, jobOf(place, options, network ? 'machine' : 'none'), options)
  const [{ openLoopbackGate }, { withConnections }] = await Promise.all([
    import('../network/loopback-gate.js'),
    import('../network/connections.js'),
  ])
  const gate = await openLoopbackGate(network)
  try {
    const env = { ...options.env, ...gate.env }
    const job: LaunchJob = { ...jobOf(place, { ...options, env }, 'proxy'), proxy: gate.port }
    return withConnections(await launch(launcher, job, options, gate), gate)
  } finally {
    gate.close()
  }
}

async function launch(
  { child, channel }: Launcher,
  job: LaunchJob,
  options: CommandOptions,
  gate?: LoopbackGate,
): Promise<CommandEnd> {
  const stop = createStopper(child, options, () => channel.destroy())
  const reports = readReports(channel, options, gate)
  channel.write(`${JSON.stringify(job)}\n`)
  try {
    const [output] = await Promise.all([collect(child, options, stop.fail), exitOf(child)])
    const { begun, end, error } = await reports
    if (stop.failure) throw stop.failure.error
    if (error !== undefined || (end === undefined && stop.why === undefined))
      throw new Error(begun ? endedEarly(error) : `The sandbox could not be set up: ${error ?? output.stderr.trim()}`)
    const ended = stop.why ?? end?.ended
    const exitCode = ended === undefined ? (end?.exit ?? null) : null
    return { exitCode, ...output, began: begun, ...(ended && { ended }) }
  } finally {
    stop.end()
  }
}

/** @param error why, if the launcher said so before it ended */
function endedEarly(error = 'its launcher was killed'): string {
  return `The command was ended, so none of its changes was staged: ${error}.`
}

function jobOf(place: AloneTree, options: CommandOptions, network: CommandNetwork): LaunchJob {
  const { root, tree, temporary } = place
  const home = makeOwnHome(options.home, place.home)
  const writable = [tree, temporary, ...home.writable]
  const cwd = `${tree}${options.cwd.slice(root.length)}`
  const own = {
    TMPDIR: temporary,
    XDG_CACHE_HOME: `${temporary}/.cache`,
    npm_config_cache: `${temporary}/.npm`,
    PWD: cwd,
    ...home.env,
  }
  const env = { ...options.env, ...own }
  const architecture = ownArchitecture()
  return {
    asked: askedBy(architecture),
    filter: aloneFilter(network, options.terminal === true, architecture).toString('base64'),
    ruleset: { files: ALL_FILE_RIGHTS, network: network === 'machine' ? 0 : ALL_NETWORK_RIGHTS, scoped: ALL_SCOPES },
    rules: rulesFor({ root, own: writable, readOnly: home.readable, visibility: options.visibility }),
    writable,
    args: options.args,
    env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    cwd,
    sharesGroup: options.terminal === true,
    processes: options.processes,
    memory: Math.min(options.memory ?? memoryLimit(), memoryLimit()),
  }
}

function machine(): LaunchMachine {
  const architecture = ownArchitecture()
  return {
    koffi: koffiFile(),
    numbers: Object.fromEntries(Object.entries(SYSTEM_CALLS).map(([call, by]) => [call, by[architecture]])),
  }
}

function askedBy(architecture: Architecture): LaunchJob['asked'] {
  const kinds = ['mode', 'owner', 'times', 'socket', 'connection'] as const
  return Object.fromEntries(
    kinds.flatMap((kind) =>
      ASKED[kind].flatMap((name: SystemCall) => {
        const number = SYSTEM_CALLS[name][architecture]
        return number === null ? [] : [[number, [kind, name] as const] as const]
      }),
    ),
  )
}

/** The file of the optional package that calls functions of the C library. @throws Error if it is not installed. */
export function koffiFile(): string {
  return createRequire(import.meta.url).resolve('koffi')
}

function channelOf(child: ChildProcess): Duplex {
  const channel = child.stdio[LAUNCHER.channel]
  if (!(channel instanceof Duplex)) throw new Error('The launcher has no channel.')
  channel.on('error', () => undefined)
  return channel
}

interface Reports {
  readonly begun: boolean
  readonly end: Extract<LaunchReport, { exit: number }> | undefined
  readonly error: string | undefined
}

/** The launcher's reports until it closes its channel. */
function readReports(channel: Duplex, { onBegin }: CommandOptions, gate?: LoopbackGate): Promise<Reports> {
  let text = ''
  let found: Reports = { begun: false, end: undefined, error: undefined }
  const read = (line: string) => {
    const report: LaunchReport = JSON.parse(line)
    if ('pid' in report) {
      found = { ...found, begun: true }
      onBegin?.(report.pid)
    } else if ('connected' in report) gate?.admit(report.connected)
    else if ('error' in report) found = { ...found, error: report.error }
    else found = { ...found, end: report }
  }
  return new Promise((resolve) => {
    channel.on('data', (chunk: Buffer) => {
      const lines = `${text}${chunk}`.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) read(line)
    })
    channel.once('close', () => resolve(found))
  })
}
