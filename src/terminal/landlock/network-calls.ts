import type { LaunchJob, LaunchReport } from './launch-job.js'
import type { Libc } from './libc.js'

export type NetworkCalls = ReturnType<typeof networkCalls>

/**
 * Makes the sockets of a command, and connects them to the proxy. The launcher does both itself: the command has the socket and not the
 * right to connect it, and no address that the command writes is used. The launcher runs the text of this function.
 */
export function networkCalls(
  { libc, addressOf, call, lastError }: Libc,
  job: LaunchJob,
  report: (line: LaunchReport) => void,
) {
  const fs = process.getBuiltinModule('node:fs')
  const { constants } = process.getBuiltinModule('node:os')
  const poll = libc.func('poll', 'int', ['uintptr_t', 'uint64_t', 'int'])
  const { EINPROGRESS, EISCONN, ENETUNREACH, ENOTSOCK } = constants.errno
  /** Sockets that are not connected yet, by inode: the command's descriptor is for the same socket. */
  const sockets = new Map<string, number>()
  /** `struct sockaddr_in` of the proxy. */
  const target = Buffer.alloc(16)
  target.writeUInt16LE(2, 0)
  target.writeUInt16BE(job.proxy ?? 0, 2)
  target.writeUInt32BE(0x7f00_0001, 4)
  return { open, connect }

  /** @param type with the flags of socket(2). @returns its descriptor here, or a negative number */
  function open(type: number): { fd: number; isInherited: boolean } {
    for (const [inode, fd] of sockets) if (sockets.size >= 512) forget(inode, fd)
    const fd = call('socket', 2, type | 0x8_0000, 6) // SOCK_CLOEXEC, IPPROTO_TCP
    if (fd >= 0) sockets.set(`socket:[${fs.fstatSync(fd, { bigint: true }).ino}]`, fd)
    return { fd, isInherited: (type & 0x8_0000) === 0 }
  }

  /** @param address the address that the command requests. @returns the error, or 0 */
  function connect(thread: number, descriptor: number, address: Buffer): number {
    const inode = fs.readlinkSync(`/proc/${thread}/fd/${descriptor}`)
    const fd = sockets.get(inode)
    if (fd === undefined) return inode.startsWith('socket:') ? EISCONN : ENOTSOCK
    if (job.proxy === undefined || !address.subarray(0, 8).equals(target.subarray(0, 8))) return ENETUNREACH
    const error = connectTo(fd)
    if (error !== 0 && error !== EINPROGRESS && error !== EISCONN) return error
    report({ connected: portOf(fd) })
    forget(inode, fd)
    return error
  }

  /** Waits no longer than two seconds: meanwhile the launcher does nothing else. */
  function connectTo(fd: number): number {
    const flags = call('fcntl', fd, 3) // F_GETFL
    const isBlocking = (flags & 0o4000) === 0 // O_NONBLOCK
    if (isBlocking) call('fcntl', fd, 4, flags | 0o4000) // F_SETFL
    let error = attempt(fd)
    if (isBlocking && error === EINPROGRESS) {
      const watched = Buffer.alloc(8)
      watched.writeInt32LE(fd, 0)
      watched.writeInt16LE(4, 4) // POLLOUT
      error = poll(addressOf(watched), 1, 2_000) > 0 ? attempt(fd) : constants.errno.ETIMEDOUT
    }
    if (isBlocking) call('fcntl', fd, 4, flags)
    return error
  }

  function attempt(fd: number): number {
    return call('connect', fd, addressOf(target), target.length) < 0 ? lastError() : 0
  }

  function portOf(fd: number): number {
    const [name, length] = [Buffer.alloc(16), Buffer.alloc(4)]
    length.writeInt32LE(name.length, 0)
    call('getsockname', fd, addressOf(name), addressOf(length))
    return name.readUInt16BE(2)
  }

  function forget(inode: string, fd: number): void {
    sockets.delete(inode)
    fs.closeSync(fd)
  }
}
