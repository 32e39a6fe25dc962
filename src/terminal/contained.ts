import type { ChildProcess, StdioOptions } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { placeOfProgram, sendSignal, startProgram } from '../os/child.js'
import { startOf } from '../os/process.js'
import { type CommandEnd, type CommandOptions, collect, createStopper, exitOf } from './command-io.js'
import type { Holder } from './holder.js'
import { bytesIn, loadOf, memoryLimit } from './process-load.js'
import { bwrapArguments, layersOf, STATUS_FD, sandboxOf } from './sandbox.js'

/**
 * Mounts the layers, then executes the command. $1: the layers, $2: the workspace, $3: the filter, $4: a copy of the workspace, or an
 * empty string for an overlay on it, $5: the number of home directories that follow, each with the directory of its layer or an empty string.
 * The layers have relative names because a comma or a colon in a path would end a mount option. Inherited descriptors are closed last.
 * The kernel's out-of-memory killer takes the command first. Each umount may fail: an earlier start may have been cut short before its mounts.
 */
const ENTER = `set -e
cd "$1"
: > stamp
if [ -z "$4" ]; then
  umount "$2" 2>/dev/null || :
  mount -t overlay escrowfs -o lowerdir=staged:workspace,upperdir=written,workdir=work,userxattr "$2"
fi
layers=$1
filter=$3
left=$5
shift 5
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

/** The descriptor on which bubblewrap reads its options. */
const ARGS = 4
/** The descriptor on which nsenter reads the network namespace. The script then opens the filter on the same number. */
const NETWORK = 5

/**
 * Runs a command in a bubblewrap sandbox in the holder's namespace, where only the workspace's overlay and the
 * session's own /tmp are writable. When it resolves, no process of the command is left.
 * @param tree a copy that it sees at the workspace's path; an overlay without one.
 * @throws Error if the sandbox could not be set up.
 */
export async function runContained(
  holder: Holder,
  root: string,
  options: CommandOptions,
  tree = '',
): Promise<CommandEnd> {
  const { network } = options
  if (typeof network === 'boolean') return runInNamespace(holder, root, options, tree)
  const [{ openHostGate }, { withConnections }] = await Promise.all([
    import('./network/host-gate.js'),
    import('./network/connections.js'),
  ])
  const gate = await openHostGate(holder.pid, network)
  try {
    const env = { ...options.env, ...gate.env }
    return withConnections(await runInNamespace(holder, root, { ...options, env }, tree, gate.namespace), gate)
  } finally {
    gate.close()
  }
}

/** @param namespace a descriptor of the network namespace to run in; undefined to choose by `options.network`. */
async function runInNamespace(
  holder: Holder,
  root: string,
  options: CommandOptions,
  tree: string,
  namespace?: number,
): Promise<CommandEnd> {
  const { scratch } = holder.places
  const net = namespace === undefined ? [] : [`--net=/proc/self/fd/${NETWORK}`]
  const enter = ['--preserve-credentials', '--user', '--mount', ...net, '--target', String(holder.pid), '--']
  const filter = options.terminal ? 'filter-shared' : 'filter'
  const limits = ['prlimit', `--nproc=${options.processes}`, '--core=0', '--']
  // write-only executes a path; prlimit then finds the command in the PATH of the sandbox.
  const inside = bwrapArguments(root, [placeOfProgram('prlimit'), '--core=0', '--', ...options.args], options)
  const sandbox = ['bwrap', '--args', String(ARGS), '--', ...inside]
  const mounts = layersOf(options)
  const homes = [String(mounts.length), ...mounts.flatMap(({ at, layer = '' }) => [at, layer])]
  const args = [...enter, 'sh', '-c', ENTER, 'sh', scratch, root, filter, tree, ...homes, ...limits, ...sandbox]
  // A mount of a copy at the workspace's path would stay with a directory that is replaced. bubblewrap binds the copy itself.
  const { staged, workspace, written } = holder.places
  const trees = tree === '' ? { tree: root, layers: [written, staged, workspace] } : { tree, layers: [tree] }
  const sandboxOptions = sandboxOf(root, scratch, trees, options)
  const own = options.terminal ? 'inherit' : 'pipe'
  const stdio: StdioOptions = [own, own, own, 'pipe', 'pipe', ...(namespace === undefined ? [] : [namespace])]
  const child = startProgram('nsenter', args, stdio, options.terminal)
  const group = child.pid === undefined || options.terminal ? child.pid : -child.pid
  holder.killOnExit(group)
  sendOptions(child, sandboxOptions)
  const init = initOf(child)
  const stop = createStopper(child, options)
  void init.then((pid) => {
    if (pid === undefined) return
    // It shares our process group, so killing a group cannot end it: the holder kills it by its id.
    if (options.terminal) holder.killOnExit(group, pid)
    if (options.terminal && stop.why !== undefined) sendSignal(pid, 'SIGKILL')
    options.onBegin?.(pid)
  })
  // A process that left the group before it was bound to bubblewrap's life would go on, and hold the output open.
  child.once('exit', () => {
    if (stop.why === undefined) return
    const kill = (pid: number | undefined) => pid !== undefined && sendSignal(pid, 'SIGKILL')
    // It may have ended, and its id may belong to another user's process by now.
    init.then(kill).catch(() => undefined)
  })
  const watch = watchLoad(init, holder, options, stop.kill)
  try {
    const [output, code] = await Promise.all([collect(child, options, stop.fail), exitOf(child)])
    const pid = await init
    // The first process of a PID namespace ends only after all others.
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
    holder.killOnExit()
    clearInterval(watch)
  }
}

/** Polls the limits itself: RLIMIT_NPROC does not apply to root, and no rlimit covers the memory of several processes. */
function watchLoad(
  init: Promise<number | undefined>,
  { places }: Holder,
  { processes: maxProcesses, memory = memoryLimit() }: CommandOptions,
  kill: (why: 'processes' | 'memory') => void,
) {
  let pid: number | undefined
  void init.then((found) => {
    pid = found
  })
  return setInterval(() => {
    if (pid === undefined) return
    const load = loadOf(pid)
    if (load.processes > maxProcesses) kill('processes')
    // The written layer is in memory too.
    else if (load.memory > memory || load.memory + bytesIn(places.written) > memoryLimit()) kill('memory')
  }, WATCH_MS)
}

const WATCH_MS = 100

/** Sends bubblewrap its options through a pipe: other users' `ps` does not show them, and ARG_MAX does not apply. */
function sendOptions(child: ChildProcess, options: readonly string[]): void {
  const to = child.stdio[ARGS]
  if (!(to instanceof Writable)) throw new Error('The sandbox has no pipe for its options.')
  to.on('error', () => undefined)
  to.end(options.map((each) => `${each}\0`).join(''))
}

/** The first process of the command's namespace, as bubblewrap reports it; undefined if it never started. */
function initOf(child: ChildProcess): Promise<number | undefined> {
  const status = child.stdio[STATUS_FD]
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

/** Bytes of bubblewrap's status report that are read. */
const MESSAGE = 4096

async function waitForExit(pid: number): Promise<void> {
  const began = startOf(pid)
  for (let delay = 0; began !== undefined && startOf(pid) === began; delay = Math.min(delay + 1, 20)) await wait(delay)
}
