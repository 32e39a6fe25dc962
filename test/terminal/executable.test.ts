import { type StdioOptions, spawnSync } from 'node:child_process'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as arm64 from '../../src/terminal/arm64.js'
import { closeOthers } from '../../src/terminal/close-others.js'
import { ownArchitecture } from '../../src/terminal/system-calls.js'
import { writeOnly } from '../../src/terminal/write-only.js'
import { tempDir } from '../support/facade.js'
import { type Kernel, type Memory, runProgramA64 } from './a64.js'

const numbers: Readonly<Record<string, number>> = JSON.parse(
  readFileSync('test/fixtures/system-calls.json', 'utf8'),
).arm64
const nameOf = new Map(Object.entries(numbers).map(([name, number]) => [number, name]))

const ENOENT = -2
const ENOSYS = -38
const EMFILE = -24
const EPERM = -1

describe('the encoder of arm64', () => {
  it('writes the same machine words as the GNU assembler', () => {
    const SP = arm64.REGISTER.sp
    const words: readonly (readonly [string, readonly arm64.Instruction[], ...number[]])[] = [
      ['ldr x0, [sp, #16]', [arm64.load(0, SP, 16)], 0xf9400be0],
      ['add x1, sp, #16', [arm64.addBytes(1, SP, 16)], 0x910043e1],
      ['ldr x2, [sp]', [arm64.load(2, SP)], 0xf94003e2],
      ['add x2, x1, x2, lsl #3', [arm64.addPointers(2, 1, 2)], 0x8b020c22],
      ['movn w21, #0', [arm64.setNot(21, 0)], 0x12800015],
      ['mov w8, #436', arm64.set(8, 436), 0x52803688],
      ['movz w2, #0x28, lsl #16', arm64.set(2, 0x28_0000), 0x52a00502],
      ['svc #0', arm64.systemCall(436), 0x52803688, 0xd4000001],
      ['cbnz w0, .', [arm64.label('.'), arm64.ifNotZero(0, '.')], 0x35000000],
      ['b .+4; cbz w3, .-4', [arm64.label('.'), arm64.copy(1, 19), arm64.ifZero(3, '.')], 0xaa1303e1, 0x34ffffe3],
      ['tbnz w21, #31, .-4', [arm64.label('.'), arm64.copy(2, 20), arm64.ifNegative(21, '.')], 0xaa1403e2, 0x37fffff5],
      ['cmp w0, #2', [arm64.compare(0, 2)], 0x7100081f],
      ['sub sp, sp, #32', [arm64.takeStack(32)], 0xd10083ff],
      ['str x3, [sp, #16]', [arm64.store(3, 16)], 0xf9000be3],
      ['str w0, [sp, #8]', [arm64.storeHalf(0, 8)], 0xb9000be0],
      ['bl .+8; ret', [arm64.callTo('.'), arm64.RETURN, arm64.label('.')], 0x94000002, 0xd65f03c0],
      ['b .+4', [arm64.jump('.'), arm64.label('.')], 0x14000001],
      ['b.lt .+4', [arm64.ifLess('.'), arm64.label('.')], 0x5400002b],
      ['ldr x1, [x19], #8', [arm64.loadNext(1, 19)], 0xf8408661],
      ['ldrb w3, [x1]', [arm64.loadByte(3, 1)], 0x39400023],
    ]
    for (const [name, code, ...expected] of words) {
      const bytes = Buffer.from(arm64.assemble(code))
      expect([name, ...expected.map((_, index) => bytes.readUInt32LE(index * 4))]).toEqual([name, ...expected])
      expect(bytes.length).toBe(expected.length * 4)
    }
  })

  it('refuses a jump to nowhere', () => {
    expect(() => arm64.assemble([arm64.jump('away')])).toThrow("no label 'away'")
  })
})

type Call = readonly unknown[]
/** The kernel's result of the call that was just recorded. */
type Answers = (call: Call) => number

/** The number of integers that each of the other calls has. */
const INTEGERS: Readonly<Record<string, number>> = { exit: 1, close_range: 3, landlock_restrict_self: 2 }
const ENV = ['PATH=/bin', 'A=b']

/** The system calls of a program, in order. */
function callsOf(file: Buffer, args: readonly string[], answers: Answers): Call[] {
  const calls: Call[] = []
  const kernel: Kernel = (number, args, memory) => {
    const call = describeCall(nameOf.get(number) ?? String(number), args, memory)
    calls.push(call)
    const answer = answers(call)
    return call[0] === 'exit' || (call[0] === 'execve' && answer === 0) ? 'ends' : answer
  }
  runProgramA64(file, args, ENV, kernel)
  return calls
}

function describeCall(name: string, args: readonly bigint[], memory: Memory): Call {
  const [a = 0n, b = 0n, c = 0n] = args
  const integers = args.map((value) => Number(BigInt.asIntN(32, value)))
  const [first, second, third, fourth] = integers
  if (name === 'execve') return [name, memory.text(a), memory.texts(b), memory.texts(c)]
  if (name === 'openat') return [name, first, memory.text(b), third, fourth]
  if (name === 'landlock_create_ruleset')
    return [name, a === 0n ? null : Number(memory.at(a, 8).readBigUInt64LE()), second, third]
  if (name === 'landlock_add_rule') {
    const rule = memory.at(c, 12)
    return [name, first, second, Number(rule.readBigUInt64LE()), rule.readInt32LE(8), fourth]
  }
  return [name, ...integers.slice(0, INTEGERS[name])]
}

describe('close-others on arm64', () => {
  const program = ['close-others', '/bin/true', 'a', '']
  const closing = ['close_range', 6, -1, 0]
  const becoming = ['execve', '/bin/true', program.slice(1), ENV]

  it('closes every descriptor from 6 on, then becomes the program', () => {
    expect(callsOf(closeOthers('arm64'), program, () => 0)).toEqual([closing, becoming])
  })

  it('does not start it if they cannot be closed, and exits with 126 if it cannot be started', () => {
    const callsWhenFailing = (failed: string) =>
      callsOf(closeOthers('arm64'), program, ([name]) => (name === failed ? ENOSYS : 0))
    expect(callsWhenFailing('close_range')).toEqual([closing, ['exit', 126]])
    expect(callsWhenFailing('execve')).toEqual([closing, becoming, ['exit', 126]])
  })
})

describe('write-only on arm64', () => {
  const args = ['write-only', '/', '/work', '/missing', '/tmp', '', '/bin/sh', '-c', '']
  const becoming = ['execve', '/bin/sh', ['/bin/sh', '-c', ''], ENV]
  const openatCall = (path: string) => ['openat', -100, path, 0x28_0000, 0]
  const rule = (rights: number, fd: number) => ['landlock_add_rule', 9, 1, rights, fd, 0]
  const VERSION = ['landlock_create_ruleset', null, 0, 1]
  const RULESET = ['landlock_create_ruleset', 0x2002, 8, 0]
  const DESCRIPTORS: Readonly<Record<string, number>> = { '/': 4, '/work': 5, '/tmp': 6 }

  /** Simulates a kernel with a version of Landlock. */
  const landlock = (version: number, callsWhenFailing: Readonly<Record<string, number>> = {}): Answers => {
    return ([name, what, path]) => {
      if (name === 'landlock_create_ruleset' && what === null) return version
      const failed = callsWhenFailing[String(name)]
      if (failed !== undefined) return failed
      if (name === 'openat') return DESCRIPTORS[String(path)] ?? ENOENT
      return name === 'landlock_create_ruleset' ? 9 : 0
    }
  }

  it('lets it open files for writing below the paths and as its output, and move them anywhere', () => {
    for (const version of [2, 3, 7])
      expect(callsOf(writeOnly('arm64'), args, landlock(version))).toEqual([
        ...[VERSION, RULESET, rule(2, 1), rule(2, 2)],
        ...[openatCall('/'), rule(0x2000, 4), openatCall('/work'), rule(2, 5)],
        ...[openatCall('/missing'), openatCall('/tmp'), rule(2, 6)],
        ...[['landlock_restrict_self', 9, 0], becoming],
      ])
  })

  it('starts the program without rules on a kernel that has none', () => {
    for (const version of [ENOSYS, -95, 1])
      expect(callsOf(writeOnly('arm64'), args, landlock(version))).toEqual([VERSION, becoming])
  })

  it('starts nothing if the rules can neither be made nor applied', () => {
    const lastCalls = (callsWhenFailing: Readonly<Record<string, number>>) => {
      const calls = callsOf(writeOnly('arm64'), args, landlock(3, callsWhenFailing))
      return [calls.at(-1), calls.filter(([name]) => name === 'execve')]
    }
    expect(lastCalls({ landlock_create_ruleset: EMFILE })).toEqual([['exit', 126], []])
    expect(lastCalls({ landlock_restrict_self: EPERM })).toEqual([['exit', 126], []])
    expect(lastCalls({ execve: ENOENT })).toEqual([['exit', 126], [becoming]])
  })

  it('restricts to each path that it is given, whatever their number', () => {
    const path = fc.stringMatching(/^\/[a-z/ ]{0,20}$/)
    fc.assert(
      fc.property(fc.array(path, { maxLength: 40 }), (paths) => {
        const calls = callsOf(writeOnly('arm64'), ['write-only', '/', ...paths, '', '/bin/true'], ([name, what]) =>
          name === 'landlock_create_ruleset' ? (what === null ? 3 : 9) : name === 'openat' ? 7 : 0,
        )
        expect(calls.filter(([name]) => name === 'openat').map(([, , at]) => at)).toEqual(['/', ...paths])
        expect(calls.filter(([name]) => name === 'landlock_add_rule').map(([, , , rights]) => rights)).toEqual([
          ...[2, 2, 0x2000],
          ...paths.map(() => 2),
        ])
      }),
      { numRuns: 50 },
    )
  })
})

/** Installed programs of this machine that run arm64 code. */
const emulator = ['qemu-aarch64-static', 'qemu-aarch64'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
)

/** This machine's own code always runs; arm64 code runs if there is an emulator. */
const runnable = [
  { architecture: ownArchitecture(), by: [] },
  ...(emulator === undefined ? [] : [{ architecture: 'arm64' as const, by: [emulator] }]),
]

describe.each(runnable)('on a processor: $architecture $by', ({ architecture, by }) => {
  const install = (file: Buffer) => {
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    writeFileSync(`${path}/program`, file)
    chmodSync(`${path}/program`, 0o755)
    return { path, program: `${path}/program` }
  }
  const run = (program: string, args: readonly string[], stdio: StdioOptions = 'pipe') => {
    const [command = program, ...rest] = [...by, program, ...args]
    return spawnSync(command, rest, { encoding: 'utf8', stdio, env: { PATH: '/usr/bin:/bin', A: 'b c' } })
  }

  it('close-others passes on arguments, variables and three descriptors, and no more', () => {
    const { path, program } = install(closeOthers(architecture))
    const file = openSync(`${path}/file`, 'w')
    onTestFinished(() => closeSync(file))
    const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', file, file, 'ignore', file]
    const script = 'echo "$A|$1|$2"; for fd in 6 7 9; do [ -e /proc/self/fd/$fd ] && echo open $fd; done; true'
    const ran = run(program, ['/bin/sh', '-c', script, 'sh', 'x y', ''], stdio)
    expect([ran.stderr, ran.stdout, ran.status]).toEqual(['', 'b c|x y|\n', 0])
    expect(run(program, ['/missing/program']).status).toBe(126)
  })

  it('write-only passes on arguments and variables after the paths', () => {
    const { path, program } = install(writeOnly(architecture))
    mkdirSync(`${path}/open`)
    const ran = run(program, ['/', path, '/missing', '', '/bin/sh', '-c', 'echo "$A|$1|$2"', 'sh', 'x y', ''])
    expect([ran.stderr, ran.stdout, ran.status]).toEqual(['', 'b c|x y|\n', 0])
    expect(run(program, ['/', '', '/missing/program']).status).toBe(126)
  })
})
