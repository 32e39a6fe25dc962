import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { askHub } from '../../src/remote/ask.js'

const left: (() => void)[] = []
afterEach(() => {
  for (const end of left.splice(0)) end()
})

/** A hub that resets its first connections at the request, and answers the later ones. */
async function resetting(count: number) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    const isReset = sockets.length <= count
    socket.on('error', () => {})
    socket.once('data', () => {
      if (isReset) socket.resetAndDestroy()
      else socket.end('HTTP/1.1 204 No Content\r\n\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  left.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { to: { url: `http://127.0.0.1:${address.port}`, token: 't' }, countConnections: () => sockets.length }
}

describe('a request to a hub that closed the connection', () => {
  it.each([
    ['GET', {}],
    ['PUT', { method: 'PUT', json: {} }],
    ['DELETE', { method: 'DELETE' }],
  ])('is repeated once: %s', async (_, sent) => {
    const { to, countConnections } = await resetting(1)
    await expect(askHub(to, '/', sent)).resolves.toBeUndefined()
    expect(countConnections()).toBe(2)
  })

  it('fails if the hub closes the next one, too', async () => {
    const { to, countConnections } = await resetting(2)
    await expect(askHub(to, '/')).rejects.toThrow('does not answer: read ECONNRESET')
    expect(countConnections()).toBe(2)
  })

  it('is not repeated if it could take effect twice', async () => {
    const { to, countConnections } = await resetting(1)
    await expect(askHub(to, '/', { json: {} })).rejects.toMatchObject({ code: 'away' })
    expect(countConnections()).toBe(1)
  })
})
