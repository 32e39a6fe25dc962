import { lstatSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { lineReader } from '../../surface/index.js'
import { NotRun, type ShellEnd, type ShellIo } from './types.js'

/** Runs the command in the process that owns the session, through its socket. */
export async function runInOwner(command: string, path: string, io: ShellIo): Promise<ShellEnd> {
  refuseForeign(path)
  // Before the connection: it throws if the directory was removed.
  const { cwd } = io
  const socket = connect(path)
  const send = (line: object) => void (socket.writable && socket.write(`${JSON.stringify(line)}\n`))
  const forward = (chunk: Buffer | string) => send({ in: Buffer.from(chunk).toString('base64') })
  const endInput = () => send({ end: true })
  const stop = () => socket.destroy()
  try {
    return await new Promise<ShellEnd>((resolve, reject) => {
      const read = lineReader((line) => onMessage(JSON.parse(line), io, resolve, reject))
      socket.on('data', (chunk: Buffer) => {
        try {
          read(chunk)
        } catch (error) {
          reject(error)
          stop()
        }
      })
      socket.once('error', (error) =>
        reject(new NotRun(`The process that holds the session cannot be reached: ${error.message}`)),
      )
      socket.once('close', () =>
        io.signal.aborted
          ? resolve({ code: null, note: '' })
          : reject(new NotRun('The process that holds the session ended.')),
      )
      io.signal.addEventListener('abort', stop)
      if (io.signal.aborted) stop()
      send({ run: command, cwd })
      if (io.stdin) io.stdin.on('data', forward).once('end', endInput).once('error', endInput)
      else endInput()
    })
  } finally {
    io.signal.removeEventListener('abort', stop)
    io.stdin?.removeListener('data', forward)
    socket.destroy()
  }
}

/** Requires a socket of this user in a directory that only this user can enter. Another user's socket could misdirect the command. */
function refuseForeign(path: string): void {
  const [dir, socket] = [dirname(path), path].map((each) => lstatSync(each, { throwIfNoEntry: false }))
  const uid = process.getuid?.()
  const isOurs =
    dir?.isDirectory() && dir.uid === uid && (dir.mode & 0o077) === 0 && socket?.isSocket() && socket.uid === uid
  if (!isOurs)
    throw new NotRun(
      `${path} is not a socket of a process that holds a session.`,
      'ESCROW_SHELL names it. Unset ESCROW_SHELL, or start that process again.',
    )
}

function onMessage(
  line: unknown,
  io: ShellIo,
  resolve: (end: ShellEnd) => void,
  reject: (error: unknown) => void,
): void {
  const fields = new Map(typeof line === 'object' && line !== null ? Object.entries(line) : [])
  const [out, code, failed] = [fields.get('out'), fields.get('code'), fields.get('failed')]
  if (typeof out === 'string')
    io.write(Buffer.from(out, 'base64'), fields.get('stream') === 'stderr' ? 'stderr' : 'stdout')
  else if (typeof failed === 'string') reject(new NotRun(failed, String(fields.get('hint') ?? '')))
  else if (code === null || typeof code === 'number') resolve({ code, note: String(fields.get('note') ?? '') })
  else throw new NotRun('The process that holds the session sent a message that this version cannot read.')
}
