import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seccompFilter } from '../../src/terminal/seccomp.js'
import { type Architecture, AUDIT_ARCHITECTURE, SYSTEM_CALLS } from '../../src/terminal/system-calls.js'
import { HEADER_NUMBERS } from '../support/system-calls.js'
import { runFilter } from './bpf.js'

const ALLOWED = 0x7fff_0000
const EPERM = 0x5_0001
const ENOSYS = 0x5_0026
const ARCHITECTURES = ['x64', 'arm64'] as const
const X32 = 0x4000_0000

type Numbers = Readonly<Record<string, number>>
/** In later kernels than those headers; the number is the same on every architecture. */
const NEWER: Numbers = { fchmodat2: 452, setxattrat: 463, removexattrat: 466, open_tree_attr: 467, file_setattr: 469 }

/** The kernel's header of each architecture's numbers: arm64 has the generic ones. */
const HEADERS: Readonly<Record<Architecture, readonly string[]>> = {
  x64: [
    '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
    '/usr/include/asm/unistd_64.h',
    '/usr/x86_64-linux-gnu/include/asm/unistd_64.h',
  ],
  arm64: ['/usr/include/asm-generic/unistd.h'],
}

/** @throws Error if this machine has no such header */
function headerOf(architecture: Architecture): string {
  const file = HEADERS[architecture].find((each) => existsSync(each))
  if (file !== undefined) return readFileSync(file, 'utf8')
  const names = architecture === 'x64' && process.arch !== 'x64' ? 'linux-libc-dev-amd64-cross' : 'linux-libc-dev'
  throw new Error(`The kernel's headers are missing. On Debian or Ubuntu, as root: apt-get install ${names}`)
}

/** The calls that a command may not make with any arguments, listed here again by name. */
const DENIED = [
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'ptrace', 'process_vm_readv', 'process_vm_writev'],
  ...['process_madvise', 'kcmp', 'pidfd_getfd', 'add_key', 'request_key', 'keyctl', 'bpf', 'perf_event_open'],
  ...['userfaultfd', 'mount', 'umount2', 'pivot_root', 'open_tree', 'move_mount', 'fsopen', 'fsconfig', 'fsmount'],
  ...['fspick', 'mount_setattr', 'open_tree_attr', 'chroot', 'unshare', 'setns', 'open_by_handle_at', 'init_module'],
  ...['finit_module', 'delete_module', 'kexec_load', 'kexec_file_load', 'reboot', 'swapon', 'swapoff', 'acct'],
  ...['quotactl', 'quotactl_fd', 'adjtimex', 'settimeofday', 'clock_settime', 'clock_adjtime', 'iopl', 'ioperm'],
]

/** The kernel's result, by name: undefined if it allows the call. */
function expectedAction(name: string | undefined, args: readonly bigint[], sharesGroup: boolean): number {
  const lowWord = (index: number) => Number(BigInt.asUintN(32, args[index] ?? 0n))
  if (name === undefined) return ALLOWED
  if (name === 'clone3') return ENOSYS
  if (DENIED.includes(name)) return EPERM
  if (name === 'socket' && [1, 40].includes(lowWord(0))) return EPERM
  if (name === 'socketpair' && (lowWord(0) !== 1 || ![1, 5].includes(lowWord(1) & 0xf))) return EPERM
  if (name === 'clone' && (lowWord(0) & 0x1000_0000) !== 0) return EPERM
  if (name === 'kill' && lowWord(0) === 0 && sharesGroup) return EPERM
  if (name === 'ioctl' && [0x5412, 0x541c].includes(lowWord(1))) return EPERM
  return ALLOWED
}

describe.each(ARCHITECTURES)('the filter of %s', (architecture) => {
  const arch = AUDIT_ARCHITECTURE[architecture]
  const numbers: Numbers = { ...HEADER_NUMBERS[architecture], ...NEWER }
  const names = new Map(Object.entries(numbers).map(([name, number]) => [number, name]))

  it('has the numbers of the kernel headers, and omits calls that those lack', () => {
    for (const [name, known] of Object.entries(SYSTEM_CALLS))
      expect([name, known[architecture]]).toEqual([name, numbers[name] ?? null])
  })

  it.each([false, true])('refuses exactly what it lists, of every number (shares a group: %s)', (sharesGroup) => {
    const filter = seccompFilter(sharesGroup, architecture)
    for (let number = 0; number < 1024; number++)
      for (const args of [
        [],
        [1n, 1n],
        [1n, 0x80002n],
        [1n, 0x80005n],
        [1n, 0x5412n],
        [40n, 0x541cn],
        [0x1000_0011n, 0x5401n],
        [9n, 9n],
      ])
        expect([number, args, runFilter(filter, { number, arch, args })]).toEqual([
          number,
          args,
          expectedAction(names.get(number), args, sharesGroup),
        ])
  })

  it('decides by the low half of an argument, as the kernel reads an int', () => {
    const word = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
    const near = fc.constantFrom(0n, 1n, 40n, 0x5412n, 0x541cn, 0x1000_0000n, 2n ** 32n + 1n, 2n ** 63n + 0x5412n)
    const args = fc.array(fc.oneof(word, near), { minLength: 6, maxLength: 6 })
    const number = fc.oneof(fc.constantFrom(...names.keys()), fc.nat(0xffff))
    fc.assert(
      fc.property(number, args, fc.boolean(), (number, args, sharesGroup) => {
        const answer = runFilter(seccompFilter(sharesGroup, architecture), { number, arch, args })
        expect(answer).toBe(expectedAction(names.get(number), args, sharesGroup))
      }),
      { numRuns: 500 },
    )
  })

  it('knows no call of another architecture, nor of x32', () => {
    const filter = seccompFilter(false, architecture)
    const others = [0, 0x4000_0003, 0x4000_0028, ...ARCHITECTURES.map((each) => AUDIT_ARCHITECTURE[each])]
    for (const other of others.filter((each) => each !== arch))
      for (const number of [0, 1, 4, 59, 120, 270])
        expect(runFilter(filter, { number, arch: other, args: [] })).toBe(ENOSYS)
    // x32 has the same architecture as x86-64, and its own numbers from 512 on.
    for (const number of [0, 1, 41, 59, 101, 512, 520, 547])
      for (const bit of [X32, 0x8000_0000, 0xc000_0000])
        expect([number, runFilter(filter, { number: bit + number, arch, args: [] })]).toEqual([number, ENOSYS])
  })

  it('agrees with the headers that this machine has', () => {
    const header = headerOf(architecture).matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm)
    const found: Numbers = Object.fromEntries([...header].map(([, name, number]) => [name, Number(number)]))
    const compared = Object.entries(SYSTEM_CALLS).filter(([name]) => found[name] !== undefined)
    for (const [name, known] of compared) expect([name, known[architecture]]).toEqual([name, found[name]])
    expect(compared.length).toBeGreaterThan(80)
    expect(found.ptrace).toBe(numbers.ptrace)
  })
})

it('the filters of x64 and arm64 differ', () => {
  expect(seccompFilter(false, 'x64').equals(seccompFilter(false, 'arm64'))).toBe(false)
})
