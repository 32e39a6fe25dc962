import type { attributeCalls } from './attribute-calls.js'
import type { LaunchJob, LaunchReport } from './launch-job.js'
import type { networkCalls } from './network-calls.js'
import type { RestrictParts, restrict } from './restrict.js'

/** The parts of the launcher. Each is the text of one function, which may use nothing outside of itself. */
export interface LauncherParts extends RestrictParts {
  readonly attributeCalls: typeof attributeCalls
  readonly networkCalls: typeof networkCalls
  readonly restrict: typeof restrict
}

/**
 * The main thread of the launcher: it starts the restricted thread, and stays as the parent of all processes of the command. The launcher
 * runs the text of this function.
 */
export function supervise(parts: LauncherParts): void {
  const { openLibc, attributeCalls, networkCalls, restrict, numbers, machine } = parts
  const { slots, states, channel } = numbers
  const fs = process.getBuiltinModule('node:fs')
  const { Worker } = process.getBuiltinModule('node:worker_threads')

  try {
    run()
  } catch (error) {
    report({ error: error instanceof Error ? error.message : String(error) })
    // The thread may be gone, and Node would wait for it.
    process.kill(process.pid, 'SIGKILL')
  }

  function run(): void {
    const libc = openLibc(machine)
    const { addressOf, call, must } = libc
    must('prctl', 36, 1, 0, 0, 0) // PR_SET_CHILD_SUBREAPER
    must('prctl', 4, 0, 0, 0, 0) // PR_SET_DUMPABLE: nobody reads or writes this process
    must('close_range', 3, 0xffff_ffff, 4) // CLOSE_RANGE_CLOEXEC
    const limit = Buffer.alloc(16)
    for (const at of [0, 8]) limit.writeBigUInt64LE(1n, at)
    must('prlimit64', 0, 4, addressOf(limit), 0) // RLIMIT_CORE: one byte also turns off a program that takes dumps

    const shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(slots).length))
    const slot = (name: keyof typeof slots) => Atomics.load(shared, slots[name])
    let guardInput: number | undefined = pipeInto('guardInput')
    const gate = pipeInto('gate')
    /** The exit codes of ended children: the command may end before its id is known. */
    const ends = new Map<number, number>()
    const text = `(${restrict})({ openLibc: ${openLibc}, numbers: ${JSON.stringify(numbers)}, machine: ${JSON.stringify(machine)} })`
    const worker = new Worker(text, { eval: true, workerData: { shared } })
    worker.on('error', () => undefined)
    const job = readJob(() => call('exit_group', 1))
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGTTIN', 'SIGTTOU'] as const)
      if (job.sharesGroup) process.on(signal, () => undefined)
    worker.postMessage(job)
    Atomics.store(shared, slots.job, 1)
    Atomics.notify(shared, slots.job)
    Atomics.wait(shared, slots.state, 0, 10_000)
    assertStarted()
    const listener = slot('listener')
    const answerCall = attributeCalls(libc, job, listener, networkCalls(libc, job, report))

    const poll = libc.libc.func('poll', 'int', ['uintptr_t', 'uint64_t', 'int'])
    const waitpid = libc.libc.func('waitpid', 'int', ['int', 'uintptr_t', 'int'])
    const pageSize: number = libc.libc.func('getpagesize', 'int', [])()
    const watched = Buffer.alloc(24)
    const status = Buffer.alloc(4)

    let pid = 0
    let exit: number | undefined
    let ended: 'processes' | 'memory' | undefined
    let isOver = false
    /** The guard has ended before the command. */
    let isUnguarded = false
    let looked = performance.now()
    let childFd = -1
    for (;;) {
      assertStarted()
      if (pid === 0 && slot('state') === states.begun) begin()
      reap()
      if (exit !== undefined || isOver || ended !== undefined || isUnguarded) break
      // The thread sends no event when it has started the command, so the wait is short until then.
      const [asks, closes] = pollDescriptors(pid === 0 ? 1 : 50)
      if (asks) answerCall()
      if (closes) isOver = true
      if (performance.now() - looked >= 100) watch()
    }
    endAll()
    if (isUnguarded) report({ error: 'the command ended the process that guards it' })
    else if (!isOver) report(ended === undefined ? { exit: exit ?? 0 } : { exit: exit ?? 0, ended })
    call('exit_group', 0)

    /** Makes a pipe for the thread. @returns the end that stays here */
    function pipeInto(name: 'guardInput' | 'gate'): number {
      const pipe = Buffer.alloc(8)
      must('pipe2', addressOf(pipe), 0x8_0000) // O_CLOEXEC
      Atomics.store(shared, slots[name], pipe.readInt32LE(0))
      return pipe.readInt32LE(4)
    }

    /** Ends this process if the thread did not start, or failed. A thread that failed has reported why. */
    function assertStarted(): void {
      const state = slot('state')
      if (state === states.listening || state === states.begun) return
      if (state !== states.failed) report({ error: 'the restricted thread did not start' })
      call('exit_group', 1)
    }

    function begin(): void {
      pid = slot('command')
      childFd = call('pidfd_open', pid, 0)
      const thread = `/proc/self/task/${slot('thread')}`
      while (fs.existsSync(thread)) Atomics.wait(shared, slots.state, states.begun, 1)
      fs.closeSync(gate)
      report({ pid })
    }

    /** Waits for a call to answer, the end of the channel or the end of the command. @param wait milliseconds */
    function pollDescriptors(wait: number): [asks: boolean, closes: boolean] {
      ;[listener, channel, childFd].forEach((fd, at) => {
        watched.writeInt32LE(fd, 8 * at)
        watched.writeInt32LE(1, 8 * at + 4) // POLLIN
      })
      if (poll(addressOf(watched), 3, wait) <= 0) return [false, false]
      return [(watched.readInt16LE(6) & 1) !== 0, watched.readInt16LE(14) !== 0]
    }

    function reap(): void {
      for (;;) {
        const child = waitpid(-1, addressOf(status), 1) // WNOHANG
        if (child <= 0) break
        if (child === slot('guard') && guardInput !== undefined) isUnguarded = true
        const code = status.readInt32LE(0)
        const signal = code & 0x7f
        ends.set(child, signal === 0 ? (code >> 8) & 0xff : 128 + signal)
      }
      exit ??= ends.get(pid)
    }

    function watch(): void {
      looked = performance.now()
      const all = descendants()
      const used = all.reduce((sum, each) => {
        const [, resident = 0, common = 0] = textOf(`/proc/${each}/statm`).split(' ').map(Number)
        return sum + Math.max(0, resident - common)
      }, 0)
      if (all.length > job.processes + 1) ended ??= 'processes'
      else if (used * pageSize > job.memory) ended ??= 'memory'
    }

    /** The guard's signal reaches all at once. The rounds after it are for a command that has ended its guard. */
    function endAll(): void {
      if (guardInput !== undefined) fs.closeSync(guardInput)
      guardInput = undefined
      for (let round = 0; ; round++) {
        reap()
        if (waitpid(-1, addressOf(status), 1) < 0) return
        if (round > 0) for (const each of descendants()) kill(each)
        if (pollDescriptors(10)[0]) answerCall()
      }
    }
  }

  /** The ids of all processes below this one. */
  function descendants(): number[] {
    const found: number[] = []
    const below = (each: string | number) => {
      for (const task of namesIn(`/proc/${each}/task`))
        for (const child of textOf(`/proc/${each}/task/${task}/children`).split(' ').filter(Boolean)) {
          found.push(Number(child))
          below(child)
        }
    }
    below('self')
    return found
  }

  function kill(pid: number): void {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }

  function namesIn(dir: string): string[] {
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

  function report(line: LaunchReport): void {
    try {
      fs.writeSync(channel, `${JSON.stringify(line)}\n`)
    } catch {
      // Nobody listens any more.
    }
  }

  /** The job, up to the end of its line. @param leave ends this process: nobody has a job any more. */
  function readJob(leave: () => unknown): LaunchJob {
    const parts: Buffer[] = []
    for (;;) {
      const part = Buffer.alloc(65_536)
      const length = fs.readSync(channel, part)
      if (length === 0) leave()
      parts.push(part.subarray(0, length))
      if (part[length - 1] === 10) return JSON.parse(Buffer.concat(parts).toString())
    }
  }
}
