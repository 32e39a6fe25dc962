import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { openLoopbackGate } from '../../../src/terminal/network/loopback-gate.js'
import { freePort } from '../../support/free-port.js'

const ASK = 'CONNECT nowhere.invalid:443 HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n'

async function gate(wait?: number) {
  const opened = await openLoopbackGate(['example.com'], wait)
  onTestFinished(() => opened.close())
  return opened
}

async function connectTo(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

it('accepts a connection that is announced after it is made', async () => {
  const { port, admit, refused } = await gate()
  const socket = await connectTo(port)
  socket.write(ASK)
  admit(socket.localPort ?? 0)
  expect(await text(socket)).toContain('403 Forbidden')
  expect(refused()).toEqual(['nowhere.invalid:443'])
})

it('accepts a connection that is announced before it is made', async () => {
  const { port, admit } = await gate()
  const localPort = await freePort()
  admit(localPort)
  const socket = connect({ port, host: '127.0.0.1', localPort })
  onTestFinished(() => void socket.destroy())
  socket.end(ASK)
  expect(await text(socket)).toContain('403 Forbidden')
})

it('closes the connection of another program without an answer', async () => {
  const { port, refused } = await gate(20)
  const socket = await connectTo(port)
  socket.write(ASK)
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => undefined)
  await new Promise((resolve) => socket.once('close', resolve))
  expect([received, refused()]).toEqual([[], []])
})
