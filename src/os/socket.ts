import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { makeTempDir, removeTree } from './write.js'

export interface Listener {
  /** The socket's path. */
  readonly path: string
  close(): Promise<void>
}

/** Listens on a Unix socket in a new directory that only this user may enter. */
export async function listenPrivately(connected: (socket: Socket) => void): Promise<Listener> {
  const { XDG_RUNTIME_DIR: runtime = '' } = process.env
  const dir = makeTempDir(join(isAbsolute(runtime) ? runtime : tmpdir(), 'escrowfs-'))
  const path = join(dir, 'sh')
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    connected(socket)
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
  } catch (error) {
    removeTree(dir)
    throw error
  }
  // The server keeps no process alive.
  server.unref()
  const close = async () => {
    for (const each of open) each.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
    removeTree(dir)
  }
  return { path, close }
}
