import { createConnection } from 'node:net'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { ECDSA, ecdsaToDer, RSA, WireReader, wireString } from './ssh-wire.js'

/** Signing by the person's ssh-agent (draft-ietf-sshm-ssh-agent): the private key stays there. */

const SIGN_REQUEST = 13
const SIGN_RESPONSE = 14
const RSA_SHA2_256 = 2
const MAX_ANSWER = 256 * 1024
/** A person may have to confirm. */
const WAIT_MS = 120_000

/**
 * Signs bytes with a key of the agent. The signature has the form that DSSE verifiers read, not OpenSSH's own.
 * @param blob the public half
 */
export async function signByAgent(blob: Buffer, message: Buffer): Promise<Buffer> {
  const socket = process.env.SSH_AUTH_SOCK
  if (socket === undefined || socket === '') throw refusal('no ssh-agent is running (SSH_AUTH_SOCK is not set)')
  const flags = Buffer.alloc(4)
  if (new WireReader(blob).text() === RSA) flags.writeUInt32BE(RSA_SHA2_256)
  const request = Buffer.concat([Buffer.from([SIGN_REQUEST]), wireString(blob), wireString(message), flags])
  const answer = await ask(socket, wireString(request))
  try {
    return signatureIn(new WireReader(answer))
  } catch (error) {
    if (error instanceof EscrowError) throw error
    throw refusal(errorText(error))
  }
}

function signatureIn(reader: WireReader): Buffer {
  if (reader.byte() !== SIGN_RESPONSE) throw refusal('it does not have the key, or nobody confirmed its use')
  const signature = new WireReader(reader.string())
  const type = signature.text()
  const bytes = signature.string()
  return type === ECDSA ? ecdsaToDer(bytes) : bytes
}

function ask(path: string, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path)
    let received = Buffer.alloc(0)
    const end = (problem: string) => {
      socket.destroy()
      reject(refusal(problem))
    }
    socket.setTimeout(WAIT_MS, () => end('it did not answer'))
    socket.on('error', (error) => end(errorText(error)))
    socket.on('close', () => end('it closed the connection'))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 4) return
      const length = received.readUInt32BE(0)
      if (length > MAX_ANSWER) return end('its answer is too long')
      if (received.length < 4 + length) return
      resolve(received.subarray(4, 4 + length))
      socket.destroy()
    })
    socket.write(request)
  })
}

function refusal(why: string): EscrowError {
  return new EscrowError('unsupported', `ssh-agent did not sign: ${why}.`, {
    hint: "Add the key with 'ssh-add', or give the file of the private key.",
  })
}
