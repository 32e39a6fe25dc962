import { describe, expect, it } from 'vitest'
import { aloneFilter, type CommandNetwork } from '../../../src/terminal/landlock/filter.js'
import { AUDIT_ARCHITECTURE, SYSTEM_CALLS, type SystemCall } from '../../../src/terminal/system-calls.js'
import { runFilter } from '../bpf.js'

const [ALLOWED, ASKED, EPERM] = [0x7fff_0000, 0x7fc0_0000, 0x5_0001]
const [ENOTTY, ENOSYS, EOPNOTSUPP, EAFNOSUPPORT] = [0x5_0019, 0x5_0026, 0x5_005f, 0x5_0061]

describe.each(['x64', 'arm64'] as const)('the filter of a command without namespaces on %s', (architecture) => {
  const arch = AUDIT_ARCHITECTURE[architecture]
  const answer = (name: SystemCall, args: readonly number[] = [], network: CommandNetwork = 'none') =>
    runFilter(aloneFilter(network, false, architecture), {
      number: SYSTEM_CALLS[name][architecture] ?? -1,
      arch,
      args: args.map(BigInt),
    })
  const has = (name: SystemCall) => SYSTEM_CALLS[name][architecture] !== null

  it('asks the launcher about attributes of files, which Landlock does not restrict', () => {
    const names: readonly SystemCall[] = [
      ...(['chmod', 'fchmod', 'fchmodat', 'fchmodat2', 'chown', 'lchown', 'fchown', 'fchownat'] as const),
      ...(['utime', 'utimes', 'futimesat', 'utimensat'] as const),
    ]
    for (const name of names.filter(has)) expect([name, answer(name)]).toEqual([name, ASKED])
    for (const name of ['setxattr', 'lsetxattr', 'fsetxattr', 'setxattrat', 'removexattr', 'removexattrat'] as const)
      expect([name, answer(name)]).toEqual([name, EOPNOTSUPP])
    expect(answer('file_setattr')).toBe(ENOSYS)
  })

  it('gives sockets of the network only to a command that has it, and Unix sockets to none', () => {
    const [unix, inet, inet6, netlink, packet, vsock] = [1, 2, 10, 16, 17, 40]
    for (const family of [unix, packet, vsock, 38]) expect(answer('socket', [family ?? 0, 1, 0], 'machine')).toBe(EPERM)
    for (const family of [inet, inet6]) {
      expect(answer('socket', [family ?? 0, 1, 0])).toBe(EPERM)
      expect(answer('socket', [family ?? 0, 1, 0], 'machine')).toBe(ALLOWED)
    }
    expect([0, 15].map((protocol) => answer('socket', [netlink ?? 0, 3, protocol]))).toEqual([ALLOWED, EPERM])
  })

  it('asks the launcher for TCP sockets and their connections if only some hosts are allowed', () => {
    const [inet, inet6, stream, datagram, raw, flags] = [2, 10, 1, 2, 3, 0o2_004_000]
    const socket = (family: number, type: number, protocol: number) =>
      answer('socket', [family, type, protocol], 'proxy')
    for (const protocol of [0, 6]) {
      expect(socket(inet, stream, protocol)).toBe(ASKED)
      expect(socket(inet, stream | flags, protocol)).toBe(ASKED)
    }
    // SCTP, MPTCP, SMC: Landlock restricts only TCP.
    for (const protocol of [132, 262, 256]) expect(socket(inet, stream, protocol)).toBe(EPERM)
    for (const type of [datagram, raw, 4, 5, 6, 10]) expect(socket(inet, type, 0)).toBe(EPERM)
    for (const type of [stream, datagram, raw]) expect(socket(inet6, type, 0)).toBe(EAFNOSUPPORT)
    for (const family of [1, 17, 38, 40, 43]) expect(socket(family, stream, 0)).toBe(EPERM)
    expect(answer('connect', [3, 0, 16], 'proxy')).toBe(ASKED)
    expect(answer('listen', [3, 5], 'proxy')).toBe(EPERM)
    const fastOpen = 0x2000_0000
    for (const flag of [fastOpen, fastOpen | 0x4000]) {
      expect(answer('sendto', [3, 0, 0, flag], 'proxy')).toBe(EPERM)
      expect(answer('sendmmsg', [3, 0, 0, flag], 'proxy')).toBe(EPERM)
      expect(answer('sendmsg', [3, 0, flag], 'proxy')).toBe(EPERM)
    }
    expect(answer('sendto', [3, 0, 0, 0x4000], 'proxy')).toBe(ALLOWED)
    expect(answer('sendmsg', [3, 0, 0x4000], 'proxy')).toBe(ALLOWED)
  })

  it('allows pairs of connected Unix sockets, and none that can send to another address', () => {
    const flags = 0o2_004_000
    const types = [1, 2, 3, 5].flatMap((type) => [type, type | flags])
    expect(types.filter((type) => answer('socketpair', [1, type, 0]) === ALLOWED)).toEqual([1, 1 | flags, 5, 5 | flags])
    expect(answer('socketpair', [2, 1, 0])).toBe(EPERM)
  })

  it('passes the requests of terminals and sockets, and refuses those that type or change files', () => {
    for (const request of [0x5401, 0x5413, 0x541b, 0x5421, 0x8912, 0x4004_9409])
      expect(answer('ioctl', [1, request])).toBe(ALLOWED)
    for (const request of [0x5412, 0x541c, 0x541d, 0x5423]) expect(answer('ioctl', [1, request])).toBe(EPERM)
    // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY, and one of a driver.
    for (const request of [0x4008_6602, 0x401c_5820, 0x4080_6685, 0xc010_5b01])
      expect(answer('ioctl', [1, request])).toBe(ENOTTY)
  })

  it('changes limits and priorities of no other process', () => {
    for (const name of ['prlimit64', 'sched_setaffinity', 'sched_setscheduler', 'sched_setattr'] as const)
      expect([0, 1234].map((pid) => answer(name, [pid]))).toEqual([ALLOWED, EPERM])
    expect([answer('setpriority', [0, 0]), answer('setpriority', [0, 9]), answer('setpriority', [2, 0])]).toEqual([
      ALLOWED,
      EPERM,
      EPERM,
    ])
    expect([answer('ioprio_set', [1, 0]), answer('ioprio_set', [3, 0])]).toEqual([ALLOWED, EPERM])
    expect([1, 8, 10, 15, 1024].map((control) => answer('fcntl', [3, control]) === ALLOWED)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })

  it('creates no namespace, and no object that processes share by number', () => {
    for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000])
      expect(answer('clone', [flag | 17])).toBe(EPERM)
    expect(answer('clone', [0x120_0011])).toBe(ALLOWED)
    for (const name of ['shmget', 'shmat', 'msgget', 'semop', 'mq_open'] as const) expect(answer(name)).toBe(ENOSYS)
    expect(answer('ptrace')).toBe(EPERM)
    expect(answer('clone3')).toBe(ENOSYS)
  })
})
