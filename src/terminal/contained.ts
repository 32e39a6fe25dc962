import type { ChildProcess, StdioOptions } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { placeOfProgram, sendSignal, startProgram } from '../host/child.js'
import { startOf } from '../host/process.js'
import { type CommandEnd, type CommandOptions, collect, exitOf, stopper } from './command-io.js'
import type { Holder } from './holder.js'
import { bytesIn, loadOf, memoryLimit } from './process-load.js'
import { bwrapArguments, STATUS, sandboxOf } from './sandbox.js'

/**
 * Mounts the workspace anew, then becomes the command. $1: the layers, $2: the workspace, $3: the filter, $4: how many directories
 * of the home follow, each with the directory of its layer, or nothing. The layers go by short names: a comma or a colon of their
 * path would end an option. What this process inherited is closed last. Where the machine has no memory left, the command goes
 * first. Nothing is mounted yet, or no more, where a start was cut short.
 */
const ENTER = `set -e
cd /
umount "$2" 2>/dev/null || :
cd "$1"
: > stamp
mount -t overlay escrowfs -o lowerdir=staged:workspace,upperdir=written,workdir=work,userxattr "$2"
layers=$1
filter=$3
left=$4
shift 4
at=0
while [ "$at" -lt "$left" ]; do
  place=homes/$at
  umount "$place/merged" "$place/layer" "$place/lower" 2>/dev/null || :
  mkdir -p "$place/merged" "$place/layer" "$place/lower"
  mount --bind "$1" "$place/lower"
  [ -z "$2" ] || mount --bind "$2" "$place/layer"
  mkdir -p "$place/layer/upper" "$place/layer/work"
  mount -t overlay escrowfs -o "lowerdir=$place/lower,upperdir=$place/layer/upper,workdir=$place/layer/work,userxattr" "$place/merged"
  at=$((at + 1))
  shift 2
done
{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null || :
exec 5<"$filter"
close=$layers/close-others
cd /
program=$(command -v "$1")
shift
exec "$close" "$program" "$@"`

/** Descriptors the sandbox is told by and tells by. */
const ARGS = 4
/** The descriptor nsenter reads the network namespace from; the filter takes its place then. */
const NETWORK = 5

/**
 * Runs a command in a holder's namespace: in a sandbox of bubblewrap, where nothing but the workspace's overlay and a
 * /tmp of the session's own can be written. When it resolves, no process of the command is left.
 * Rejects with an Error where the sandbox could not be set up.
 */
export async function runContained(holder: Holder, root: string, options: CommandOptions): Promise<CommandEnd> {
  const { network } = options
  if (typeof network === 'boolean') return runInNamespace(holder, root, options)
  const { openHostGate } = await import('./network/host-gate.js')
  const gate = await openHostGate(holder.pid, network)
  try {
    const env = { ...options.env, ...gate.env }
    const end = await runInNamespace(holder, root, { ...options, env }, gate.namespace)
    const unreachable = gate.refused()
    return unreachable.length === 0 ? end : { ...end, unreachable }
  } finally {
    gate.close()
  }
}

/** @param namespace a descriptor of the network namespace to run in; undefined: our own, or none. */
async function runInNamespace(
  holder: Holder,
  root: string,
  options: CommandOptions,
  namespace?: number,
): Promise<CommandEnd> {
  const { scratch } = holder.places
  const net = namespace === undefined ? [] : [`--net=/proc/self/fd/${NETWORK}`]
  const enter = ['--preserve-credentials', '--user', '--mount', ...net, '--target', String(holder.pid), '--']
  const filter = options.terminal ? 'filter-shared' : 'filter'
  const limits = ['prlimit', `--nproc=${options.processes}`, '--core=0', '--']
  // prlimit looks for the command in the PATH of the sandbox; what starts prlimit takes a path alone.
  const inside = bwrapArguments(root, [placeOfProgram('prlimit'), '--core=0', '--', ...options.args], options)
  const sandbox = ['bwrap', '--args', String(ARGS), '--', ...inside]
  const mounts = options.home?.mounts ?? []
  const homes = [String(mounts.length), ...mounts.flatMap(({ at, layer = '' }) => [at, layer])]
  const args = [...enter, 'sh', '-c', ENTER, 'sh', scratch, root, filter, ...homes, ...limits, ...sandbox]
  const told = sandboxOf(root, scratch, options)
  const own = options.terminal ? 'inherit' : 'pipe'
  const stdio: StdioOptions = [own, own, own, 'pipe', 'pipe', ...(namespace === undefined ? [] : [namespace])]
  const child = startProgram('nsenter', args, stdio, options.terminal)
  const group = child.pid === undefined || options.terminal ? child.pid : -child.pid
  holder.endsWith(group)
  tell(child, told)
  const init = initOf(child)
  const stop = stopper(child, options)
  void init.then((pid) => {
    if (pid === undefined) return
    // Without a group of its own it is not killed with bubblewrap before it is bound to its life.
    if (options.terminal) holder.endsWith(group, pid)
    if (options.terminal && stop.why !== undefined) sendSignal(pid, 'SIGKILL')
    options.onBegin?.(pid)
  })
  // What has left the group and is not yet bound to bubblewrap's life would go on, and hold the output open.
  child.once('exit', () => {
    if (stop.why === undefined) return
    const kill = (pid: number | undefined) => pid !== undefined && sendSignal(pid, 'SIGKILL')
    // It may be over, and its id another user's process.
    init.then(kill).catch(() => undefined)
  })
  const watch = watchLoad(init, holder, options, stop.kill)
  try {
    const [output, code] = await Promise.all([collect(child, options, stop.fail), exitOf(child)])
    const pid = await init
    // The first process of the namespace is gone only when all others are.
    if (pid !== undefined) await waitForExit(pid)
    if (stop.failure) throw stop.failure.error
    if (pid === undefined && stop.why === undefined)
      throw new Error(`The sandbox could not be set up: ${output.stderr.trim()}`)
    return {
      exitCode: stop.why === undefined ? code : null,
      ...output,
      began: pid !== undefined,
      ...(stop.why && { ended: stop.why }),
    }
  } finally {
    stop.end()
    holder.endsWith()
    clearInterval(watch)
  }
}

/** The kernel's limit of processes does not hold for root, and one of memory for a whole command there is none. */
function watchLoad(
  init: Promise<number | undefined>,
  { places }: Holder,
  { processes: most, memory = memoryLimit() }: CommandOptions,
  kill: (why: 'processes' | 'memory') => void,
) {
  let pid: number | undefined
  void init.then((found) => {
    pid = found
  })
  return setInterval(() => {
    if (pid === undefined) return
    const load = loadOf(pid)
    if (load.processes > most) kill('processes')
    // What is written is memory as well, until it is staged.
    else if (load.memory > memory || load.memory + bytesIn(places.written) > memoryLimit()) kill('memory')
  }, WATCH_MS)
}

const WATCH_MS = 100

/** Gives bubblewrap its options where no other user's `ps` sees them, and no limit of a command line holds. */
function tell(child: ChildProcess, options: readonly string[]): void {
  const to = child.stdio[ARGS]
  if (!(to instanceof Writable)) throw new Error('The sandbox has no way to be told its options.')
  to.on('error', () => undefined)
  to.end(options.map((each) => `${each}\0`).join(''))
}

/** The first process of the command's namespace, as bubblewrap tells it; undefined where it never came so far. */
function initOf(child: ChildProcess): Promise<number | undefined> {
  const status = child.stdio[STATUS]
  if (!(status instanceof Readable)) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    let text = ''
    status.on('data', (chunk: Buffer) => {
      text = `${text}${chunk}`.slice(0, MESSAGE)
      const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
      if (pid !== undefined) resolve(Number(pid))
    })
    status.once('close', () => resolve(undefined))
  })
}

/** Bytes of what bubblewrap tells that are looked at. */
const MESSAGE = 4096

async function waitForExit(pid: number): Promise<void> {
  const began = startOf(pid)
  for (let delay = 0; began !== undefined && startOf(pid) === began; delay = Math.min(delay + 1, 20)) await wait(delay)
}
