import type { SystemCall } from '../system-calls.js'
import type { LaunchJob } from './launch-job.js'
import type { Libc } from './libc.js'
import type { NetworkCalls } from './network-calls.js'

/**
 * Answers the calls that the filter hands over: those that change the attributes of a file, which Landlock does not restrict, and those
 * of the network. The launcher runs the text of this function.
 * @param listener the descriptor of the filter's notifications, seccomp_unotify(2)
 * @returns reads and answers one notification
 */
export function attributeCalls(
  { libc, addressOf, call }: Libc,
  job: LaunchJob,
  listener: number,
  network: NetworkCalls,
): () => void {
  const fs = process.getBuiltinModule('node:fs')
  const { constants } = process.getBuiltinModule('node:os')
  const ioctl = libc.func('ioctl', 'int', ['int', 'uint64_t', 'uintptr_t'])
  /** `struct seccomp_notif` and `struct seccomp_notif_resp`. */
  const [notice, answer] = [Buffer.alloc(80), Buffer.alloc(24)]
  const id = Buffer.alloc(8)
  const uid = process.getuid?.() ?? 0
  const groups = new Set([process.getgid?.() ?? 0, ...(process.getgroups?.() ?? [])])
  return serve

  function serve(): void {
    notice.fill(0)
    if (ioctl(listener, 0xc050_2100n, addressOf(notice)) !== 0) return // SECCOMP_IOCTL_NOTIF_RECV
    answer.fill(0)
    notice.copy(answer, 0, 0, 8)
    const [kind, name] = job.asked[notice.readInt32LE(16)] ?? []
    if (kind === 'socket' && giveSocket()) return
    answer.writeInt32LE(-(kind === 'socket' || kind === 'connection' ? connection(kind) : attributes(kind, name)), 16)
    ioctl(listener, 0xc018_2101n, addressOf(answer)) // SECCOMP_IOCTL_NOTIF_SEND
  }

  /** Adds a socket of this process to the descriptors of the command, which also answers the call. */
  function giveSocket(): boolean {
    const { fd, isInherited } = network.open(number(1))
    const buffer = Buffer.alloc(24)
    notice.copy(buffer, 0, 0, 8)
    buffer.writeUInt32LE(2, 8) // SECCOMP_ADDFD_FLAG_SEND
    buffer.writeInt32LE(fd, 12)
    buffer.writeUInt32LE(isInherited ? 0 : 0x8_0000, 20) // O_CLOEXEC
    return fd >= 0 && ioctl(listener, 0x4018_2103n, addressOf(buffer)) >= 0 // SECCOMP_IOCTL_NOTIF_ADDFD
  }

  /** @returns the error, or 0 */
  function connection(kind: 'socket' | 'connection'): number {
    if (kind === 'socket') return constants.errno.EMFILE
    try {
      return network.connect(notice.readUInt32LE(8), number(0), memory(argument(1), Math.min(16, number(2))))
    } catch {
      return constants.errno.EPERM
    }
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
    const code = call('utimensat', fd, addressOf(Buffer.from('\0')), times === undefined ? 0 : addressOf(times), 0x1000) // AT_EMPTY_PATH
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
      name === 'fchmodat' || name === 'fchmodat2' || name === 'fchownat' || name === 'futimesat' || name === 'utimensat'
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
    if (path.length === 0 && !isByNothing) throw Object.assign(new Error('no path'), { errno: constants.errno.ENOENT })
    const follows = (flags & 0x100) === 0 && name !== 'lchown'
    return fs.openSync(whole(dir, path), 0x20_0000 | (follows ? 0 : fs.constants.O_NOFOLLOW))
  }

  /** The path as this process has to spell it. */
  function whole(dir: number, path: Buffer): Buffer {
    const tid = notice.readUInt32LE(8)
    const base = dir === -100 ? `/proc/${tid}/cwd` : `/proc/${tid}/fd/${dir}`
    if (path.length === 0) return Buffer.from(base)
    if (path[0] !== 0x2f) return Buffer.concat([Buffer.from(`${base}/`), path])
    const match = /^\/+(?:proc\/+(?:self|thread-self)|dev\/+(?=fd\/))/.exec(path.toString('latin1'))
    return match === null ? path : Buffer.concat([Buffer.from(`/proc/${tid}/`), path.subarray(match[0].length)])
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
      notice.copy(id, 0, 0, 8)
      if (ioctl(listener, 0x4008_2102n, addressOf(id)) !== 0) throw new Error('gone') // SECCOMP_IOCTL_NOTIF_ID_VALID
      return bytes.subarray(0, read)
    } finally {
      fs.closeSync(fd)
    }
  }
}
