import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  bearerOf,
  foreignTo,
  isSameSecret,
  type LoopbackOptions,
  listenOnLoopback,
  newToken,
  PATIENCE,
} from '../../src/os/loopback.js'

describe('a caller', () => {
  it.each([
    [{ host: '127.0.0.1:80', origin: undefined }],
    [{ host: 'localhost:80', origin: undefined }],
    [{ host: 'localhost:80', origin: 'http://127.0.0.1:80' }],
    [{ host: '127.0.0.1:80', origin: 'http://localhost:80' }],
  ])('of this server is accepted: %o', (caller) => expect(foreignTo(80, caller)).toBeUndefined())

  it.each([
    [{ host: undefined, origin: undefined }],
    [{ host: '127.0.0.1', origin: undefined }],
    [{ host: '127.0.0.1:81', origin: undefined }],
    [{ host: 'example.org:80', origin: undefined }],
    [{ host: 'localhost:80.example.org', origin: undefined }],
  ])('with another Host is refused: %o', (caller) => expect(foreignTo(80, caller)).toContain('Host header'))

  it.each([['http://example.org'], ['null'], [''], ['https://127.0.0.1:80'], ['http://127.0.0.1:81']])(
    'from the site %o is refused',
    (origin) => expect(foreignTo(80, { host: '127.0.0.1:80', origin })).toContain('other sites'),
  )
})

describe('a token', () => {
  it('is long, safe in a URL, and new each time', () => {
    expect(newToken()).toMatch(/^[\w-]{43}$/)
    expect(newToken()).not.toBe(newToken())
  })

  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['Basic abc', undefined],
    ['Bearer ', undefined],
    [undefined, undefined],
  ])('is read from the header %o', (header, token) => expect(bearerOf(header)).toBe(token))

  it.each([
    ['abc', true],
    ['abd', false],
    ['ab', false],
    ['abcd', false],
    ['', false],
  ])('%o is compared as a whole', (candidate, isSame) => expect(isSameSecret(candidate, 'abc')).toBe(isSame))
})

/** A server that keeps each request until the test answers it. */
async function serve(options: LoopbackOptions = {}) {
  const waiting: ServerResponse[] = []
  const server = await listenOnLoopback(() => (_, response) => void waiting.push(response), options)
  onTestFinished(() => server.close())
  return { ...server, waiting }
}

async function open(port: number, host = '127.0.0.1'): Promise<Socket & { readonly isEnded: () => boolean }> {
  const socket = connect(port, host)
  onTestFinished(() => void socket.destroy())
  let ended = false
  socket.on('close', () => (ended = true))
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'connect')
  return Object.assign(socket, { isEnded: () => ended })
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

describe('a server', () => {
  it('tells its listener the port, and reports a port in use', async () => {
    const ports: number[] = []
    const server = await listenOnLoopback((port) => {
      ports.push(port)
      return () => undefined
    })
    onTestFinished(() => server.close())
    expect(ports).toEqual([server.port])
    await expect(serve({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('listens on this machine only', async () => {
    const { port } = await serve()
    await open(port)
    // A server on all addresses would answer here, too.
    await expect(open(port, '127.0.0.2')).rejects.toThrow()
  })

  it('is closed if its listener cannot be made', async () => {
    let port = 0
    const starting = listenOnLoopback((at) => {
      port = at
      throw new Error('no listener')
    })
    await expect(starting).rejects.toThrow('no listener')
    await expect(open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('ends idle connections and running requests when it closes', async () => {
    const { port, close, waiting } = await serve()
    const [idle, busy] = [await open(port), await open(port)]
    busy.write(REQUEST)
    await expect.poll(() => waiting.length).toBe(1)
    await close()
    await expect.poll(() => idle.isEnded() && busy.isEnded()).toBe(true)
    await expect(open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('ends a connection without data after the time for it', async () => {
    const { port } = await serve({ patience: { ...PATIENCE, idle: 50 } })
    const idle = await open(port)
    await expect.poll(() => idle.isEnded()).toBe(true)
  })
})

describe('a server with a limit of connections', () => {
  it('ends the one that has been idle longest for a new one', async () => {
    const { port, waiting } = await serve({ connections: 2 })
    const [first, second] = [await open(port), await open(port)]
    // An answered request makes the first one the newest idle one.
    first.write(REQUEST)
    await expect.poll(() => waiting.length).toBe(1)
    waiting[0]?.end('done')
    await once(waiting[0] as ServerResponse, 'close')
    const third = await open(port)
    await expect.poll(() => second.isEnded()).toBe(true)
    expect([first.isEnded(), third.isEnded()]).toEqual([false, false])
    await open(port)
    await expect.poll(() => first.isEnded()).toBe(true)
    expect(third.isEnded()).toBe(false)
  })

  it('ends no connection with a running request, and refuses the new one', async () => {
    const { port, waiting } = await serve({ connections: 2 })
    const busy = [await open(port), await open(port)]
    for (const socket of busy) socket.write(REQUEST)
    await expect.poll(() => waiting.length).toBe(2)
    const refused = await open(port)
    await expect.poll(() => refused.isEnded()).toBe(true)
    expect(busy.map((socket) => socket.isEnded())).toEqual([false, false])

    // Each of two requests on one connection counts.
    busy[0]?.write(REQUEST)
    waiting[0]?.end('done')
    await expect.poll(() => waiting.length).toBe(3)
    const alsoRefused = await open(port)
    await expect.poll(() => alsoRefused.isEnded()).toBe(true)
    expect(busy.map((socket) => socket.isEnded())).toEqual([false, false])
  })

  it('has a place again once a connection is closed', async () => {
    const { port, waiting } = await serve({ connections: 1 })
    const first = await open(port)
    first.write(REQUEST)
    await expect.poll(() => waiting.length).toBe(1)
    first.destroy()
    await once(waiting[0] as ServerResponse, 'close')
    const next = await open(port)
    next.write(REQUEST)
    await expect.poll(() => waiting.length).toBe(2)
    expect(next.isEnded()).toBe(false)
  })
})
