import type { LAUNCHER, LaunchJob, LaunchMachine, LaunchReport } from './launch-job.js'
import type { Libc, openLibc } from './libc.js'

/** The parts of the launcher that this function needs. */
export interface RestrictParts {
  readonly openLibc: typeof openLibc
  readonly numbers: typeof LAUNCHER
  readonly machine: LaunchMachine
}

/**
 * Restricts its thread by Landlock and the seccomp filter, then starts the guard and the command from it. If one restriction cannot be
 * applied, nothing is started. The launcher runs the text of this function in a thread.
 */
export function restrict({ openLibc, numbers, machine }: RestrictParts): void {
  /** It waits for the end of its input. */
  const GUARD = 'trap "" HUP INT QUIT TERM; exec >&- 2>&-; read -r line; kill -s KILL -- -1'
  /** It waits until the launcher lets the command begin. */
  const GATE = 'read -r line <&3; exec 3<&-; exec "$@"'
  const { slots, states, channel } = numbers
  const fs = process.getBuiltinModule('node:fs')
  const { parentPort, receiveMessageOnPort, workerData } = process.getBuiltinModule('node:worker_threads')
  const shared: Int32Array = workerData.shared

  try {
    const libc = openLibc(machine)
    Atomics.wait(shared, slots.job, 0)
    const job: LaunchJob | undefined = parentPort === null ? undefined : receiveMessageOnPort(parentPort)?.message
    if (job === undefined) throw new Error('the thread got no job')
    run(job, libc)
  } catch (error) {
    fs.writeSync(
      channel,
      `${JSON.stringify({ error: error instanceof Error ? error.message : String(error) } satisfies LaunchReport)}\n`,
    )
    Atomics.store(shared, slots.state, states.failed)
    Atomics.notify(shared, slots.state)
  }

  function run(job: LaunchJob, { libc, addressOf, call, must, errorName }: Libc): void {
    dropRights()
    must('prctl', 38, 1, 0, 0, 0) // PR_SET_NO_NEW_PRIVS
    fence()
    assertRestricted()
    Atomics.store(shared, slots.listener, filter())
    Atomics.store(shared, slots.state, states.listening)
    Atomics.notify(shared, slots.state)
    const guardInput = Atomics.load(shared, slots.guardInput)
    Atomics.store(shared, slots.guard, start(['/bin/sh', '-c', GUARD], '/', [guardInput, 1, 2], true))
    const command = ['/bin/sh', '-c', GATE, 'sh', ...job.args]
    const descriptors = [0, 1, 2, Atomics.load(shared, slots.gate)]
    Atomics.store(shared, slots.command, start(command, job.cwd, descriptors, !job.sharesGroup))
    Atomics.store(shared, slots.thread, must('gettid'))
    Atomics.store(shared, slots.state, states.begun)
    // Ends the thread by a system call: Node would keep it until its parent has joined it.
    call('exit', 0)

    function dropRights(): void {
      must('prctl', 47, 4, 0, 0, 0) // PR_CAP_AMBIENT_CLEAR_ALL
      for (let capability = 0; capability < 64; capability++) call('prctl', 24, capability, 0, 0, 0) // PR_CAPBSET_DROP
      const header = Buffer.alloc(8)
      header.writeUInt32LE(0x2008_0522, 0)
      must('capset', addressOf(header), addressOf(Buffer.alloc(24)))
    }

    function fence(): void {
      const attributes = Buffer.alloc(24)
      attributes.writeBigUInt64LE(BigInt(job.ruleset.files), 0)
      attributes.writeBigUInt64LE(BigInt(job.ruleset.network), 8)
      attributes.writeBigUInt64LE(BigInt(job.ruleset.scoped), 16)
      const ruleset = must('landlock_create_ruleset', addressOf(attributes), 24, 0)
      const rule = Buffer.alloc(12)
      for (const [path, access] of job.rules) {
        const fd = openPath(path)
        if (fd === undefined) continue
        rule.writeBigUInt64LE(BigInt(access), 0)
        rule.writeInt32LE(fd, 8)
        must('landlock_add_rule', ruleset, 1, addressOf(rule), 0)
        fs.closeSync(fd)
      }
      must('landlock_restrict_self', ruleset, 0)
      fs.closeSync(ruleset)
    }

    /** A path that is gone, or that we may not see, needs no rule. */
    function openPath(path: string): number | undefined {
      try {
        return fs.openSync(path, 0x20_0000 | fs.constants.O_NOFOLLOW) // O_PATH
      } catch {
        return undefined
      }
    }

    function filter(): number {
      const steps = Buffer.from(job.filter, 'base64')
      const program = Buffer.alloc(16)
      program.writeUInt16LE(steps.length / 8, 0)
      program.writeBigUInt64LE(addressOf(steps), 8)
      return must('seccomp', 1, 8 | 32, addressOf(program)) // SECCOMP_SET_MODE_FILTER; FLAG_NEW_LISTENER, FLAG_WAIT_KILLABLE_RECV
    }

    /** Read from the kernel, before the filter. */
    function assertRestricted(): void {
      const status = fs.readFileSync('/proc/thread-self/status', 'utf8')
      const field = (name: string) => new RegExp(`^${name}:\\s*(\\w+)`, 'm').exec(status)?.[1] ?? ''
      const rights = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb', ...(process.getuid?.() === 0 ? ['CapBnd'] : [])]
      for (const name of rights) if (!/^0+$/.test(field(name))) throw new Error(`${name} is ${field(name)}`)
      if (field('NoNewPrivs') !== '1') throw new Error('The kernel did not set NoNewPrivs.')
    }

    function start(args: readonly string[], cwd: string, descriptors: readonly number[], ownGroup: boolean): number {
      const pointers = (texts: readonly string[]) => {
        const strings = texts.map((text) => Buffer.from(`${text}\0`))
        const list = Buffer.alloc(8 * (strings.length + 1))
        strings.forEach((text, at) => void list.writeBigUInt64LE(addressOf(text), 8 * at))
        return { list, strings }
      }
      const ok = (name: string, types: readonly string[], ...args: readonly unknown[]) => {
        const code = libc.func(name, 'int', types)(...args)
        if (code !== 0) throw new Error(`${name}: ${errorName(code)}`)
      }
      const pointer = 'uintptr_t'
      const [attributes, actions] = [Buffer.alloc(1024), Buffer.alloc(1024)].map((each) => ({
        each,
        at: addressOf(each),
      }))
      const [none, all, child] = [Buffer.alloc(128), Buffer.alloc(128), Buffer.alloc(4)]
      ok('posix_spawnattr_init', [pointer], attributes?.at)
      ok('sigemptyset', [pointer], addressOf(none))
      ok('sigfillset', [pointer], addressOf(all))
      ok('posix_spawnattr_setsigmask', [pointer, pointer], attributes?.at, addressOf(none))
      ok('posix_spawnattr_setsigdefault', [pointer, pointer], attributes?.at, addressOf(all))
      const flags = 4 | 8 | (ownGroup ? 2 : 0) // SETSIGDEF, SETSIGMASK, SETPGROUP
      ok('posix_spawnattr_setflags', [pointer, 'short'], attributes?.at, flags)
      ok('posix_spawn_file_actions_init', [pointer], actions?.at)
      // Duplicating a descriptor onto itself clears the close-on-exec flag, which Node sets on its own descriptors.
      descriptors.forEach(
        (fd, as) => void ok('posix_spawn_file_actions_adddup2', [pointer, 'int', 'int'], actions?.at, fd, as),
      )
      ok('posix_spawn_file_actions_addchdir_np', [pointer, 'str'], actions?.at, cwd)
      const [argv, env, program] = [pointers(args), pointers(job.env), Buffer.from(`${args[0]}\0`)]
      const at = [child, program].map(addressOf)
      const types = Array.from({ length: 6 }, () => pointer)
      ok('posix_spawn', types, at[0], at[1], actions?.at, attributes?.at, addressOf(argv.list), addressOf(env.list))
      // Keeps the buffers alive: their addresses were in use until here.
      return [argv, env, program, attributes, actions, none, all].length > 0 ? child.readInt32LE(0) : 0
    }
  }
}
