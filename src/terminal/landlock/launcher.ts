// Long because: a child runs the text of this one function, so it must hold all that it calls.
import type { SystemCall } from '../system-calls.js'

/** What the launcher is to start, and how to restrict it. */
export interface LaunchJob {
  /** The file of the koffi package, which calls functions of the C library. */
  readonly koffi: string
  readonly numbers: Readonly<Partial<Record<SystemCall, number | null>>>
  /** The calls that the filter hands to the launcher, by number. */
  readonly asked: Readonly<Record<number, readonly [kind: 'mode' | 'owner' | 'times', name: SystemCall]>>
  /** The seccomp filter, in base64. */
  readonly filter: string
  readonly ruleset: { readonly files: number; readonly network: number; readonly scoped: number }
  readonly rules: readonly (readonly [path: string, access: number])[]
  /** Directories in which the command may change the attributes of files. */
  readonly writable: readonly string[]
  readonly args: readonly string[]
  readonly env: readonly string[]
  readonly cwd: string
  /** The command stays in our process group. */
  readonly sharesGroup: boolean
  readonly processes: number
  readonly memory: number
}

/** What the launcher reports, one line of JSON each. */
export type LaunchReport =
  | { readonly pid: number }
  | { readonly error: string }
  | { readonly exit: number; readonly ended?: 'processes' | 'memory' }

/**
 * A program that restricts a thread of its own by Landlock and a seccomp filter, starts the command from it, and stays as the parent of all
 * its processes: it answers the calls that the filter hands over, watches the limits, and ends every process when the command ends or
 * its channel, descriptor 3, is closed. If one restriction cannot be applied, nothing is started.
 *
 * The thread is gone once the command runs: a thread with the command's restrictions is one that the command may signal. A guard, a shell
 * with the same restrictions, kills all processes that it may kill when this program ends or says so: those are the command's, and none
 * can start another meanwhile.
 */
export function launcher(): void {
  const CHANNEL = 3
  const [FAILED, BEGUN, LISTENING] = [3, 2, 1]
  /** It waits until this program lets the command begin. */
  const GATE = 'read -r line <&3; exec 3<&-; exec "$@"'
  /** It waits for the end of its input. */
  const GUARD = 'trap "" HUP INT QUIT TERM; exec >&- 2>&-; read -r line; kill -s KILL -- -1'
  const fs = process.getBuiltinModule('node:fs')
  const { Worker, isMainThread, workerData } = process.getBuiltinModule('node:worker_threads')
  const { createRequire } = process.getBuiltinModule('node:module')
  const { constants } = process.getBuiltinModule('node:os')
  type Call = (...args: (number | bigint)[]) => number

  function bindings({ koffi: file, numbers }: LaunchJob) {
    const koffi = createRequire('/')(file)
    const libc = koffi.load(null)
    const long = 'int64_t'
    const raw: Call = libc.func('syscall', long, [long, long, long, long, long, long, long])
    const addressOf = (buffer: Buffer): bigint => koffi.address(buffer)
    const errorName = (code: number = koffi.errno()): string => {
      return Object.entries(constants.errno).find(([, each]) => each === code)?.[0] ?? `error ${code}`
    }
    const call = (name: SystemCall, ...args: (number | bigint)[]): number => {
      const number = numbers[name]
      if (number === undefined || number === null) throw new Error(`${name} is not known here`)
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = args
      return Number(raw(number, a, b, c, d, e, f))
    }
    const must = (name: SystemCall, ...args: (number | bigint)[]): number => {
      const result = call(name, ...args)
      if (result < 0) throw new Error(`${name}: ${errorName()}`)
      return result
    }
    return { libc, addressOf, call, must, errorName }
  }

  // ---- the thread that is restricted

  function restrict(job: LaunchJob, shared: Int32Array): void {
    const { libc, addressOf, call, must, errorName } = bindings(job)
    dropRights()
    must('prctl', 38, 1, 0, 0, 0) // PR_SET_NO_NEW_PRIVS
    fence()
    assertRestricted()
    const listener = filter()
    Atomics.store(shared, 1, listener)
    Atomics.store(shared, 0, LISTENING)
    Atomics.notify(shared, 0)
    Atomics.store(shared, 4, start(['/bin/sh', '-c', GUARD], '/', [Atomics.load(shared, 5), 1, 2], true))
    const command = ['/bin/sh', '-c', GATE, 'sh', ...job.args]
    Atomics.store(shared, 2, start(command, job.cwd, [0, 1, 2, Atomics.load(shared, 6)], !job.sharesGroup))
    Atomics.store(shared, 7, must('gettid'))
    Atomics.store(shared, 0, BEGUN)
    // Node would keep the thread until its parent has joined it.
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
      const ok = (name: string, types: readonly string[], ...given: readonly unknown[]) => {
        const code = libc.func(name, 'int', types)(...given)
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
      // A copy onto itself clears the mark by which Node has its own closed.
      descriptors.forEach(
        (fd, as) => void ok('posix_spawn_file_actions_adddup2', [pointer, 'int', 'int'], actions?.at, fd, as),
      )
      ok('posix_spawn_file_actions_addchdir_np', [pointer, 'str'], actions?.at, cwd)
      const [argv, env, program] = [pointers(args), pointers(job.env), Buffer.from(`${args[0]}\0`)]
      const at = [child, program].map(addressOf)
      const types = Array.from({ length: 6 }, () => pointer)
      ok('posix_spawn', types, at[0], at[1], actions?.at, attributes?.at, addressOf(argv.list), addressOf(env.list))
      // The addresses were read until here.
      return [argv, env, program, attributes, actions, none, all].length > 0 ? child.readInt32LE(0) : 0
    }
  }

  // ---- the parent of all processes

  function supervise(job: LaunchJob): void {
    const { libc, addressOf, call, must } = bindings(job)
    must('prctl', 36, 1, 0, 0, 0) // PR_SET_CHILD_SUBREAPER
    must('prctl', 4, 0, 0, 0, 0) // PR_SET_DUMPABLE: nobody reads or writes this process
    must('close_range', 3, 0xffff_ffff, 4) // CLOSE_RANGE_CLOEXEC
    const limit = Buffer.alloc(16)
    for (const at of [0, 8]) limit.writeBigUInt64LE(1n, at)
    must('prlimit64', 0, 4, addressOf(limit), 0) // RLIMIT_CORE: one byte also turns off a program that takes dumps
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU'] as const)
      if (job.sharesGroup && signal !== 'SIGTSTP') process.on(signal, () => undefined)

    const shared = new Int32Array(new SharedArrayBuffer(32))
    let guardInput: number | undefined = pipeInto(5)
    const gate = pipeInto(6)
    /** The exit codes of ended children: the command may end before its id is known. */
    const ends = new Map<number, number>()
    const worker = new Worker(`(${launcher})()`, { eval: true, workerData: { job, shared } })
    worker.on('error', () => undefined)
    Atomics.wait(shared, 0, 0, 10_000)
    if (Atomics.load(shared, 0) !== LISTENING && Atomics.load(shared, 0) !== BEGUN) fail(problemOf())
    const listener = Atomics.load(shared, 1)

    const poll = libc.func('poll', 'int', ['uintptr_t', 'uint64_t', 'int'])
    const ioctl = libc.func('ioctl', 'int', ['int', 'uint64_t', 'uintptr_t'])
    const waitpid = libc.func('waitpid', 'int', ['int', 'uintptr_t', 'int'])
    const watched = Buffer.alloc(24)
    const notice = Buffer.alloc(80)
    const answer = Buffer.alloc(24)
    const status = Buffer.alloc(4)
    const uid = process.getuid?.() ?? 0
    const groups = new Set([process.getgid?.() ?? 0, ...(process.getgroups?.() ?? [])])
    const ids = Buffer.alloc(8)

    let pid = 0
    let exit: number | undefined
    let ended: 'processes' | 'memory' | undefined
    let isOver = false
    /** The guard has ended before the command. */
    let isUnguarded = false
    let looked = 0
    let childFd = -1
    for (;;) {
      if (pid === 0 && Atomics.load(shared, 0) === BEGUN) begin()
      if (Atomics.load(shared, 0) === FAILED) fail(problemOf())
      reap()
      if (exit !== undefined || isOver || ended !== undefined || isUnguarded) break
      const [asks, closes] = look(50)
      if (asks) serve()
      if (closes) isOver = true
      if (Date.now() - looked >= 100) watch()
    }
    endAll()
    if (isUnguarded) fail('the command ended the process that guards it')
    if (!isOver) report(ended === undefined ? { exit: exit ?? 0 } : { exit: exit ?? 0, ended })
    call('exit_group', 0)

    /** @param at where the thread finds its end. @returns ours */
    function pipeInto(at: number): number {
      const pipe = Buffer.alloc(8)
      must('pipe2', addressOf(pipe), 0x8_0000) // O_CLOEXEC
      Atomics.store(shared, at, pipe.readInt32LE(0))
      return pipe.readInt32LE(4)
    }

    function problemOf(): string {
      const length = Atomics.load(shared, 3)
      return length === 0 ? 'the restricted thread did not start' : `error ${length}`
    }

    function begin(): void {
      pid = Atomics.load(shared, 2)
      childFd = call('pidfd_open', pid, 0)
      const thread = `/proc/self/task/${Atomics.load(shared, 7)}`
      while (fs.existsSync(thread)) Atomics.wait(shared, 0, BEGUN, 1)
      fs.closeSync(gate)
      report({ pid })
    }

    function fail(error: string): never {
      report({ error })
      call('exit_group', 1)
      throw new Error(error)
    }

    /** Waits for a question, the end of the channel or the end of the command. */
    function look(wait: number): [asks: boolean, closes: boolean] {
      ;[listener, CHANNEL, childFd].forEach((fd, at) => {
        watched.writeInt32LE(fd, 8 * at)
        watched.writeInt32LE(1, 8 * at + 4) // POLLIN
      })
      if (poll(addressOf(watched), 3, wait) <= 0) return [false, false]
      return [(watched.readInt16LE(6) & 1) !== 0, watched.readInt16LE(14) !== 0]
    }

    function reap(): void {
      for (;;) {
        const ended = waitpid(-1, addressOf(status), 1) // WNOHANG
        if (ended <= 0) break
        if (ended === Atomics.load(shared, 4) && guardInput !== undefined) isUnguarded = true
        const code = status.readInt32LE(0)
        const signal = code & 0x7f
        ends.set(ended, signal === 0 ? (code >> 8) & 0xff : 128 + signal)
      }
      exit ??= ends.get(pid)
    }

    // ---- the calls that the filter hands over

    function serve(): void {
      notice.fill(0)
      if (ioctl(listener, 0xc050_2100n, addressOf(notice)) !== 0) return // SECCOMP_IOCTL_NOTIF_RECV
      answer.fill(0)
      notice.copy(answer, 0, 0, 8)
      const [kind, name] = job.asked[notice.readInt32LE(16)] ?? []
      answer.writeInt32LE(-attributes(kind, name), 16)
      ioctl(listener, 0xc018_2101n, addressOf(answer)) // SECCOMP_IOCTL_NOTIF_SEND
    }

    /** Makes the call itself, on the file that it found by the command's path: it cannot be another one by then. @returns the error */
    function attributes(kind: string | undefined, name: SystemCall | undefined): number {
      let fd: number | undefined
      try {
        fd = openAsked(name)
        const place = fs.readlinkSync(`/proc/self/fd/${fd}`)
        if (!job.writable.some((dir) => place === dir || place.startsWith(`${dir}/`))) return constants.errno.EPERM
        return change(fd, kind, name)
      } catch (error) {
        return typeof error === 'object' && error !== null && 'errno' in error
          ? Math.abs(Number(error.errno))
          : constants.errno.EPERM
      } finally {
        if (fd !== undefined) fs.closeSync(fd)
      }
    }

    function argument(index: number): bigint {
      return notice.readBigUInt64LE(32 + 8 * index)
    }

    function number(index: number): number {
      return Number(BigInt.asIntN(32, argument(index)))
    }

    function change(fd: number, kind: string | undefined, name: SystemCall | undefined): number {
      if (kind === 'mode') {
        const at = name === 'chmod' || name === 'fchmod' ? 1 : 2
        fs.chmodSync(`/proc/self/fd/${fd}`, number(at) & 0o7777)
        return 0
      }
      if (kind === 'owner') {
        const at = name === 'fchownat' ? 2 : 1
        const [user, group] = [number(at), number(at + 1)]
        return (user === -1 || user === uid) && (group === -1 || groups.has(group)) ? 0 : constants.errno.EPERM
      }
      const times = timesOf(name)
      const code = call(
        'utimensat',
        fd,
        addressOf(Buffer.from('\0')),
        times === undefined ? 0 : addressOf(times),
        0x1000,
      ) // AT_EMPTY_PATH
      return code < 0 ? constants.errno.EPERM : 0
    }

    /** As `struct timespec[2]`; undefined for now. */
    function timesOf(name: SystemCall | undefined): Buffer | undefined {
      const from = argument(name === 'utime' || name === 'utimes' ? 1 : 2)
      if (from === 0n) return undefined
      if (name === 'utimensat') return memory(from, 32)
      const times = Buffer.alloc(32)
      const given = memory(from, name === 'utime' ? 16 : 32)
      for (const each of [0, 1]) {
        given.copy(
          times,
          16 * each,
          name === 'utime' ? 8 * each : 16 * each,
          name === 'utime' ? 8 * each + 8 : 16 * each + 8,
        )
        if (name !== 'utime') times.writeBigInt64LE(given.readBigInt64LE(16 * each + 8) * 1000n, 16 * each + 8)
      }
      return times
    }

    /** Opens the file that the call is about, without rights on it. */
    function openAsked(name: SystemCall | undefined): number {
      const isByFd = name === 'fchmod' || name === 'fchown'
      const isAt =
        name === 'fchmodat' ||
        name === 'fchmodat2' ||
        name === 'fchownat' ||
        name === 'futimesat' ||
        name === 'utimensat'
      const dir = isAt || isByFd ? number(0) : -100
      const path = isByFd || (isAt && argument(1) === 0n) ? Buffer.alloc(0) : textAt(argument(isAt ? 1 : 0))
      const flags =
        name === 'fchmodat2' || name === 'utimensat'
          ? number(3)
          : name === 'fchownat'
            ? number(4)
            : name === 'lchown'
              ? 0x100
              : 0
      const isByNothing = path.length === 0 && (isByFd || (flags & 0x1000) !== 0 || (isAt && argument(1) === 0n))
      if (path.length === 0 && !isByNothing)
        throw Object.assign(new Error('no path'), { errno: constants.errno.ENOENT })
      const follows = (flags & 0x100) === 0 && name !== 'lchown'
      return fs.openSync(whole(dir, path), 0x20_0000 | (follows ? 0 : fs.constants.O_NOFOLLOW))
    }

    /** The path as this process has to spell it. */
    function whole(dir: number, path: Buffer): Buffer {
      const tid = notice.readUInt32LE(8)
      const base = dir === -100 ? `/proc/${tid}/cwd` : `/proc/${tid}/fd/${dir}`
      if (path.length === 0) return Buffer.from(base)
      if (path[0] !== 0x2f) return Buffer.concat([Buffer.from(`${base}/`), path])
      const own = /^\/+(?:proc\/+(?:self|thread-self)|dev\/+(?=fd\/))/.exec(path.toString('latin1'))
      return own === null ? path : Buffer.concat([Buffer.from(`/proc/${tid}/`), path.subarray(own[0].length)])
    }

    function textAt(address: bigint): Buffer {
      const bytes = memory(address, 4096)
      const end = bytes.indexOf(0)
      if (end < 0) throw Object.assign(new Error('too long'), { errno: constants.errno.ENAMETOOLONG })
      return bytes.subarray(0, end)
    }

    /** Bytes of the process that asks, which still waits for the answer. */
    function memory(address: bigint, length: number): Buffer {
      const fd = fs.openSync(`/proc/${notice.readUInt32LE(8)}/mem`, 'r')
      try {
        const bytes = Buffer.alloc(length)
        const read = fs.readSync(fd, bytes, 0, length, address)
        notice.copy(ids, 0, 0, 8)
        if (ioctl(listener, 0x4008_2102n, addressOf(ids)) !== 0) throw new Error('gone') // SECCOMP_IOCTL_NOTIF_ID_VALID
        return bytes.subarray(0, read)
      } finally {
        fs.closeSync(fd)
      }
    }

    // ---- limits, and the end

    function processes(): number[] {
      const found: number[] = []
      const below = (each: string | number) => {
        for (const task of names(`/proc/${each}/task`))
          for (const child of textOf(`/proc/${each}/task/${task}/children`).split(' ').filter(Boolean)) {
            found.push(Number(child))
            below(child)
          }
      }
      below('self')
      return found
    }

    function watch(): void {
      looked = Date.now()
      const all = processes()
      const used = all.reduce((sum, each) => {
        const [, resident = 0, common = 0] = textOf(`/proc/${each}/statm`).split(' ').map(Number)
        return sum + Math.max(0, resident - common)
      }, 0)
      if (all.length > job.processes + 1) ended ??= 'processes'
      else if (used * pageSize() > job.memory) ended ??= 'memory'
    }

    function pageSize(): number {
      return libc.func('getpagesize', 'int', [])()
    }

    function signal(each: number): void {
      try {
        process.kill(each, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }

    /** The guard's signal reaches all at once. The rounds after it are for a command that has ended its guard. */
    function endAll(): void {
      if (guardInput !== undefined) fs.closeSync(guardInput)
      guardInput = undefined
      for (let round = 0; ; round++) {
        reap()
        if (waitpid(-1, addressOf(status), 1) < 0) return
        if (round > 0) for (const each of processes()) signal(each)
        if (look(10)[0]) serve()
      }
    }

    function names(dir: string): string[] {
      try {
        return fs.readdirSync(dir)
      } catch {
        return []
      }
    }

    function textOf(file: string): string {
      try {
        return fs.readFileSync(file, 'utf8')
      } catch {
        return ''
      }
    }
  }

  function report(line: LaunchReport): void {
    try {
      fs.writeSync(CHANNEL, `${JSON.stringify(line)}\n`)
    } catch {
      // Nobody listens any more.
    }
  }

  /** The job, up to the end of its line. */
  function readJob(): LaunchJob {
    const parts: Buffer[] = []
    for (;;) {
      const part = Buffer.alloc(65_536)
      const length = fs.readSync(CHANNEL, part)
      if (length === 0) process.exit(1)
      parts.push(part.subarray(0, length))
      if (part[length - 1] === 10) return JSON.parse(Buffer.concat(parts).toString())
    }
  }

  if (isMainThread)
    try {
      supervise(readJob())
    } catch (error) {
      report({ error: String(error) })
      // The thread may be gone, and Node would wait for it.
      process.kill(process.pid, 'SIGKILL')
    }
  else
    try {
      restrict(workerData.job, workerData.shared)
    } catch (error) {
      report({ error: String(error) })
      Atomics.store(workerData.shared, 0, FAILED)
      Atomics.notify(workerData.shared, 0)
    }
}
