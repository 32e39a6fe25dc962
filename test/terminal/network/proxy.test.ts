import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { AllowedHosts } from '../../../src/core/allowed-hosts.js'
import { hostProxy, MAX_CONNECTIONS } from '../../../src/terminal/network/proxy.js'

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** The last request of the HTTP server. */
let lookups: string[] = []
beforeEach(() => {
  lookups = []
})

async function web(): Promise<number> {
  const server = createHttp((request, response) => {
    lookups.push(`${request.method} ${request.url} ${request.headers.host}`)
    response.end(`answer to ${request.url}`)
  })
  onTestFinished(() => server.closeAllConnections())
  return portOf(server)
}

async function proxyOf(entries: readonly string[]) {
  const proxy = hostProxy(new AllowedHosts(entries))
  const server = createServer({ allowHalfOpen: true }, (socket) => proxy.accept(socket))
  const port = await portOf(server)
  onTestFinished(() => proxy.close())
  const open = (): Socket => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => {
      socket.destroy()
    })
    return socket
  }
  /** Everything that the proxy sends for these bytes, until it ends or resets the connection. */
  const send = (bytes: string | Buffer): Promise<string> => {
    const socket = open().setEncoding('latin1')
    socket.write(bytes)
    return new Promise((resolve) => {
      let answer = ''
      socket.on('data', (chunk: string) => {
        answer += chunk
      })
      socket.on('error', () => undefined).once('end', () => resolve(answer))
      socket.once('close', () => resolve(answer))
    })
  }
  return { proxy, open, say: send }
}

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
const connectLine = (target: string) => lines(`CONNECT ${target} HTTP/1.1`, `Host: ${target}`)
const socksConnectByName = (host: string, port: number, command = 1) => {
  const name = Buffer.from(host, 'latin1')
  return Buffer.concat([Buffer.from([5, 1, 0, 5, command, 0, 3, name.length]), name, portBytes(port)])
}
const portBytes = (port: number) => Buffer.from([port >> 8, port & 255])
const socksConnectByAddress = (type: number, bytes: readonly number[], port: number) =>
  Buffer.concat([Buffer.from([5, 1, 0, 5, 1, 0, type, ...bytes]), portBytes(port)])
/** The code of a SOCKS answer, after the greeting's. */
const socksReply = (answer: string) => [...Buffer.from(answer, 'latin1')].slice(0, 4)

describe('the proxy of a command', () => {
  it('checks the target, and not the Host header', async () => {
    const port = await web()
    const { proxy, say: send } = await proxyOf([`localhost:${port}`])
    const plain = (target: string, host: string) =>
      send(lines(`GET ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close'))
    expect(await plain(`http://localhost:${port}/a`, 'evil.example')).toContain('answer to /a')
    expect(lookups).toEqual([`GET /a localhost:${port}`])
    expect(await plain('http://evil.example/b', `localhost:${port}`)).toMatch(/^HTTP\/1.1 403/)
    expect(await plain('/c', `localhost:${port}`)).toMatch(/^HTTP\/1.1 403/)
    expect(await plain(`https://localhost:${port}/d`, `localhost:${port}`)).toMatch(/^HTTP\/1.1 403/)
    expect(await plain(`http://localhost:${port}@evil.example/e`, 'x')).toMatch(/^HTTP\/1.1 403/)
    expect(lookups).toHaveLength(1)
    expect(proxy.connections()).toEqual([{ to: `localhost:${port}`, count: 1 }])
    expect(proxy.refused()).toEqual(['evil.example:80', `localhost:${port}`])
  })

  it.each(['127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', '[::1]', '0', '[::]'])(
    'opens no tunnel to %s if only a name is allowed',
    async (host) => {
      const port = await web()
      const { proxy, say: send } = await proxyOf([`localhost:${port}`, '*.example.com'])
      expect(await send(connectLine(`${host}:${port}`))).toMatch(/^HTTP\/1.1 403/)
      expect(await send(lines(`GET http://${host}:${port}/ HTTP/1.1`, 'Host: localhost'))).toMatch(/^HTTP\/1.1 403/)
      expect([lookups, proxy.connections()]).toEqual([[], []])
    },
  )

  it.each([
    'evil.example%00.example.com',
    'evil.example%2f.example.com',
    'evil\uff0eexample\u3002example.com',
    'a..example.com',
    '.example.com',
    '-@x.example.com',
    `${'a'.repeat(300)}.example.com`,
  ])('does not match %s with *.example.com', async (host) => {
    const { proxy, say: send } = await proxyOf(['*.example.com'])
    expect(await send(connectLine(`${host}:443`))).toMatch(/^(?:HTTP\/1.1 403|$)/)
    expect(socksReply(await send(socksConnectByName(host.slice(0, 255), 443)))).toEqual([5, 0, 5, 2])
    expect(proxy.connections()).toEqual([])
    expect(proxy.refused().every((each) => each.length <= 256 && /^[\x20-\x7e…]*$/.test(each))).toBe(true)
  })

  it('checks each request on one connection', async () => {
    const port = await web()
    const { say: send } = await proxyOf([`localhost:${port}`])
    const one = (target: string, ...more: string[]) => lines(`GET ${target} HTTP/1.1`, 'Host: x', ...more)
    const all = [`http://localhost:${port}/1`, 'http://evil.example/2', `http://localhost:${port}/3`]
    const answer = await send(all.map((target) => one(target)).join(''))
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403'])
    // The bytes after a refused CONNECT are not a request.
    expect(await send(connectLine('evil.example:443') + one(`http://localhost:${port}/4`))).not.toContain('200')
    expect(lookups.filter((each) => each.includes('/4'))).toEqual([])
  })

  it('ends a connection with huge headers, and one with invalid data', async () => {
    const { open, say: send } = await proxyOf(['localhost:1'])
    expect(await send(lines('GET http://localhost:1/ HTTP/1.1', `X: ${'x'.repeat(100_000)}`))).not.toContain('200')
    expect(await send('\x04\x01\0\x50\x7f\0\0\x01\0')).not.toContain('\0\x5a')
    const socket = open()
    socket.end()
    expect(await textOf(socket)).toBe('')
  })

  it.each([
    ['a client that announces trailers and sends none', 'Content-Length: 1\r\nTrailer: x\r\n\r\nx', OK, '200 OK'],
    ['a client that announces trailers without a body', 'Trailer: x\r\n\r\n', OK, '200 OK'],
    [
      'a host that announces trailers and sends none',
      '\r\n',
      OK.replace('\r\n\r\n', '\r\nTrailer: x\r\n\r\n'),
      '200 OK',
    ],
    ['a host with an invalid status', '\r\n', OK.replace('200', '099'), '502 Bad Gateway'],
    [
      'a host that changes the protocol',
      '\r\n',
      'HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      '502 Bad Gateway',
    ],
  ])('survives %s', async (_who, rest, answer, status) => {
    const host = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(answer))
    })
    const port = await portOf(host)
    const { say: send } = await proxyOf([`127.0.0.1:${port}`])
    const response = await send(`POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${rest}`)
    expect(response.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`)
  })

  it('limits the number of connections', async () => {
    const { open } = await proxyOf(['localhost:1'])
    const sockets = Array.from({ length: MAX_CONNECTIONS + 1 }, open)
    await Promise.any(
      sockets.map(async (socket) => {
        socket.resume()
        socket.on('error', () => undefined)
        await new Promise((resolve) => socket.once('close', resolve).once('end', resolve))
      }),
    )
    const ended = sockets.filter((socket) => socket.readableEnded || socket.destroyed)
    expect(ended).toHaveLength(1)
  })

  it('passes on the remaining data of a side that has ended, both ways', async () => {
    const size = 1 << 20
    const received: number[] = []
    const tcp = createServer({ allowHalfOpen: true }, (socket) => {
      let bytes = 0
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      socket.on('end', () => {
        received.push(bytes)
        socket.end(Buffer.alloc(size, 'y'))
      })
    })
    const port = await portOf(tcp)
    const { proxy, open } = await proxyOf([`localhost:${port}`])
    for (const greeting of [connectLine(`localhost:${port}`), socksConnectByName('localhost', port)]) {
      const socket = open()
      socket.write(greeting)
      socket.end(Buffer.alloc(size, 'x'))
      const answer = await textOf(socket.setEncoding('latin1'))
      expect(answer.match(/y/g)?.length).toBe(size)
    }
    expect(received).toEqual([size, size])
    expect(proxy.connections()).toEqual([{ to: `localhost:${port}`, count: 2 }])
  })

  it('allows by SOCKS the same names as by HTTP', async () => {
    const port = await web()
    const { proxy, say: send } = await proxyOf([`localhost:${port}`])
    const request = Buffer.from(lines('GET /s HTTP/1.1', 'Host: s', 'Connection: close'))
    expect(await send(Buffer.concat([socksConnectByName('localhost', port), request]))).toContain('answer to /s')
    expect(socksReply(await send(socksConnectByName('evil.example', 443)))).toEqual([5, 0, 5, 2])
    expect(socksReply(await send(socksConnectByAddress(1, [127, 0, 0, 1], port)))).toEqual([5, 0, 5, 2])
    const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]
    expect(socksReply(await send(socksConnectByAddress(4, mapped, port)))).toEqual([5, 0, 5, 2])
    expect(socksReply(await send(socksConnectByAddress(9, [], port)))).toEqual([5, 0, 5, 8])
    expect(proxy.refused()).toEqual(['evil.example:443', `127.0.0.1:${port}`, `[::ffff:7f00:1]:${port}`])
    expect(lookups).toEqual(['GET /s s'])
  })

  it('has no UDP and no listening by SOCKS, and requires no password', async () => {
    const port = await web()
    const { open, say: send } = await proxyOf([`localhost:${port}`])
    for (const command of [2, 3])
      expect(socksReply(await send(socksConnectByName('localhost', port, command)))).toEqual([5, 0, 5, 7])
    expect([...Buffer.from(await send(Buffer.from([5, 1, 2])), 'latin1')]).toEqual([5, 255])
    const cut = open()
    cut.end(Buffer.from([5, 200, 0]))
    expect(await textOf(cut)).toBe('')
  })

  it('allows a numeric address only if that is listed', async () => {
    const port = await web()
    const { say: send } = await proxyOf([`127.0.0.1:${port}`])
    const bye = Buffer.from(lines('GET / HTTP/1.1', 'Host: x', 'Connection: close'))
    expect(socksReply(await send(Buffer.concat([socksConnectByAddress(1, [127, 0, 0, 1], port), bye])))).toEqual([
      5, 0, 5, 0,
    ])
    expect(await send(connectLine(`127.0.0.1:${port}`) + bye)).toMatch(/^HTTP\/1.1 200 Connection established/)
    expect(await send(connectLine(`localhost:${port}`))).toMatch(/^HTTP\/1.1 403/)
  })

  it('lists unreachable hosts', async () => {
    const port = await web()
    const { proxy, say: send } = await proxyOf([`localhost:${port}`, 'localhost:1'])
    expect(await send(connectLine('localhost:1'))).toMatch(/^HTTP\/1.1 502/)
    expect(socksReply(await send(socksConnectByName('localhost', 1)))).toEqual([5, 0, 5, 4])
    expect(proxy.connections()).toEqual([])
  })

  it('lists a hundred addresses, and counts the others', async () => {
    const { proxy, say: send } = await proxyOf(['localhost:1'])
    for (let index = 0; index < 103; index++) await send(connectLine(`host-${index}.example:443`))
    expect(proxy.refused()).toHaveLength(101)
    expect(proxy.refused().at(-1)).toBe('other addresses')
  })
})
