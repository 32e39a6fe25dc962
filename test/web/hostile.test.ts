import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { WireFile } from '../../src/web/wire.js'
import { findChange, send, setUp } from './setup.js'

/** Bodies, clients, names and contents that are designed to harm. */

const CENTS = '/api/sessions/cents'

describe('a body', () => {
  it('of 10 MB is refused, with or without a length, and uses no memory', async () => {
    const { url, token } = await setUp()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = Buffer.alloc(10 * 1024 * 1024, '[')
    const at = new URL(`${CENTS}/verdicts`, url)
    const ask = (more: Record<string, string>) =>
      send(at, 'POST', { ...headers, ...more }, body).catch((error: NodeJS.ErrnoException) => error.code)
    // A client that is refused while still sending may see the connection end before the response.
    const isRefused = (answer: Awaited<ReturnType<typeof ask>>) =>
      answer === 'EPIPE' || answer === 'ECONNRESET' || (typeof answer === 'object' && answer.status === 413)
    const before = process.memoryUsage().arrayBuffers
    for (let round = 0; round < 6; round++) {
      const answer = await ask(
        round % 2 === 0 ? { 'content-length': String(body.length) } : { 'transfer-encoding': 'chunked' },
      )
      expect(isRefused(answer), String(answer)).toBe(true)
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
    expect((await send(new URL('/api/state', url), 'GET', headers)).status).toBe(200)
  })

  it('needs no length, and a request of any method needs none', async () => {
    const { url, token, ask } = await setUp()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const chunked = { ...headers, 'transfer-encoding': 'chunked' }
    const answer = await send(new URL('/api/undo', url), 'POST', chunked, '{"commit":"none"}')
    expect(answer.text).toBe((await ask('/api/undo', { commit: 'none' })).text)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const { status } = await send(new URL('/api/nowhere', url), method, headers)
      expect([method, status]).toEqual([method, 404])
    }
  })

  it('that is not JSON, or nests too deep, is refused', async () => {
    const { url, token } = await setUp()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    for (const body of [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '['.repeat(100_000),
      '{"verdict":"approved","selection":{"__proto__":{"all":"x"}}}',
    ]) {
      const answer = await send(new URL(`${CENTS}/verdicts`, url), 'POST', headers, body)
      expect([body.slice(0, 20), answer.status]).toEqual([body.slice(0, 20), 400])
    }
  })
})

describe('a client', () => {
  it('that does not end its request is disconnected; others are served meanwhile', async () => {
    const { url, ask } = await setUp({ patience: { head: 300, request: 600, idle: 900, check: 100 } })
    const slow = [
      `GET /api/state HTTP/1.1\r\nHost: ${url.host}\r\n`,
      `POST /api/undo HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 900\r\n\r\n{`,
    ]
    const ended = slow.map(
      (text) =>
        new Promise((resolve) => {
          const socket = connect(Number(url.port), '127.0.0.1', () => socket.write(text))
          socket
            .resume()
            .on('close', resolve)
            .on('error', () => undefined)
        }),
    )
    expect((await ask('/api/state')).status).toBe(200)
    await Promise.all(ended)
  })

  it('that does not read its response is disconnected, and its place is free again', async () => {
    const patience = { head: 20_000, request: 20_000, idle: 700, check: 100 }
    const { url, token, session, project, changes, ask } = await setUp({ patience, connections: 2 })
    session.fs.writeFileSync(`${project.root}/src/long.txt`, `${'x'.repeat(400)}\n`.repeat(1_000))
    await session.flush()
    const { path, mark } = findChange(await changes(), 'src/long.txt')
    const rows = `${CENTS}/rows?path=${path}&mark=${mark}`
    const request = `GET ${rows} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const stuck = [1, 2].map(() => {
      const socket = connect(Number(url.port), '127.0.0.1').pause()
      socket.on('error', () => undefined).write(request.repeat(60))
      onTestFinished(() => void socket.destroy())
      return new Promise((resolve) => socket.once('connect', resolve))
    })
    await Promise.all(stuck)
    const status = () =>
      ask('/api/state').then(
        (answer) => answer.status,
        (error: NodeJS.ErrnoException) => error.code,
      )
    await expect.poll(status, { timeout: 15_000, interval: 200 }).toBe(200)
  }, 25_000)

  it('that opens connections and sends nothing blocks no others', async () => {
    const { url, ask } = await setUp()
    const silent = Array.from({ length: 300 }, () =>
      connect(Number(url.port), '127.0.0.1').on('error', () => undefined),
    )
    onTestFinished(() => silent.forEach((socket) => void socket.destroy()))
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    for (let n = 0; n < 5; n++) expect((await ask('/api/state')).status).toBe(200)
  })

  it('that opens connections and sends nothing disconnects no active one', async () => {
    const { url, token, session, project } = await setUp({ connections: 4 })
    const news = await fetch(new URL('/api/events', url), { headers: { authorization: `Bearer ${token}` } })
    const reader = news.body?.getReader()
    await reader?.read()
    const silent = Array.from({ length: 20 }, () => connect(Number(url.port), '127.0.0.1').on('error', () => undefined))
    onTestFinished(() => silent.forEach((socket) => void socket.destroy()))
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    session.fs.writeFileSync(`${project.root}/src/new.ts`, 'x\n')
    await session.flush()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"sessions":["cents"]')
    await reader?.cancel()
  })

  it('that reads no news keeps no page out', async () => {
    const { url, token, session, project } = await setUp()
    const unread = Array.from({ length: 24 }, () => {
      const socket = connect(Number(url.port), '127.0.0.1').pause()
      onTestFinished(() => void socket.destroy())
      socket.write(`GET /api/events HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      return socket
    })
    // The answer has begun, but the client reads none of it.
    await Promise.all(unread.map((socket) => new Promise((resolve) => socket.once('readable', resolve))))
    const headers = { authorization: `Bearer ${token}` }
    const page = await fetch(new URL('/api/events', url), { headers })
    expect(page.status).toBe(200)
    const reader = page.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('event: hello')
    session.fs.writeFileSync(`${project.root}/src/new.ts`, 'x\n')
    await session.flush()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"sessions":["cents"]')
    await reader?.cancel()
  })

  it('ends the longest stream of news when it opens one more than the limit', async () => {
    const { url, token } = await setUp()
    const headers = { authorization: `Bearer ${token}` }
    const open = () => fetch(new URL('/api/events', url), { headers })
    const readers: (ReadableStreamDefaultReader<Uint8Array> | undefined)[] = []
    for (let n = 0; n < 25; n++) readers.push((await open()).body?.getReader())
    await readers[0]?.read()
    expect((await readers[0]?.read())?.done).toBe(true)
    await Promise.all(readers.map((reader) => reader?.cancel()))
  })
})

describe('names and contents', () => {
  const SCRIPT = '<img src=x onerror=alert(1)>.ts'
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

  it('are data, whatever they contain; hidden characters are named', async () => {
    const { session, project, ask, changes } = await setUp()
    session.fs.writeFileSync(
      `${project.root}/src/${SCRIPT}`,
      '<script>alert(1)</script>\nconst a = "\u202etxt.exe"\u200b\n',
    )
    await session.flush()
    const found = findChange(await changes(), `src/${SCRIPT}`)
    const answer = await ask(`${CENTS}/rows?path=${encodeURIComponent(found.path)}&mark=${found.mark}`)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.text).not.toMatch(/[\u202e\u200b]/)
    expect(answer.text).toContain('["<U+202E>","hidden"]')
  })

  it('an SVG is served as an image only, other bytes by their type, and nothing as a page', async () => {
    const { session, project, ask, changes } = await setUp()
    const { fs } = session
    fs.writeFileSync(`${project.root}/src/a.svg`, SVG)
    fs.writeFileSync(`${project.root}/src/b.png`, Buffer.from(`\x89PNG\r\n\x1a\n\0<script>alert(1)</script>`, 'latin1'))
    fs.writeFileSync(`${project.root}/src/c.png`, Buffer.from('\0<!doctype html><script>alert(1)</script>'))
    await session.flush()
    const all = await changes()
    const image = async (path: string, headers = {}) => {
      const { mark } = findChange(all, path)
      const { status, headers: got } = await ask(`${CENTS}/image?path=${path}&mark=${mark}`, undefined, headers)
      return [status, got['content-type'], /sandbox/.test(String(got['content-security-policy']))]
    }
    expect(await image('src/a.svg')).toEqual([400, 'application/json', false])
    expect(await image('src/a.svg', { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'same-origin' })).toEqual([
      400,
      'application/json',
      false,
    ])
    expect(await image('src/a.svg', { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'same-origin' })).toEqual([
      200,
      'image/svg+xml',
      true,
    ])
    expect(await image('src/b.png')).toEqual([200, 'image/png', true])
    expect(await image('src/c.png')).toEqual([400, 'application/json', false])
    const { mark } = findChange(all, 'src/c.png')
    expect((await ask(`${CENTS}/file?path=src/c.png&mark=${mark}`)).json<WireFile>()).toMatchObject({
      shows: 'nothing',
      editable: false,
    })
  })
})

describe('decisions apply to the shown content', () => {
  const PNG = (text: string) => Buffer.from(`\x89PNG\r\n\x1a\n\0${text}`, 'latin1')

  it('an image or a text is not shown under the mark of an earlier version', async () => {
    const { session, project, ask, changes } = await setUp()
    session.fs.writeFileSync(`${project.root}/src/b.png`, PNG('first'))
    session.fs.writeFileSync(`${project.root}/src/t.ts`, 'first\n')
    await session.flush()
    const all = await changes()
    session.fs.writeFileSync(`${project.root}/src/b.png`, PNG('second'))
    session.fs.writeFileSync(`${project.root}/src/t.ts`, 'second\n')
    await session.flush()
    for (const [path, what] of [
      ['src/b.png', 'image'],
      ['src/t.ts', 'text'],
    ] as const) {
      const answer = await ask(`${CENTS}/${what}?path=${path}&mark=${findChange(all, path).mark}&side=after`)
      expect([path, answer.status]).toEqual([path, 409])
      expect(answer.text).not.toContain('second')
    }
  })

  it('an SVG is shown as an image and as text, so its scripts are visible in its lines', async () => {
    const { session, project, ask, changes } = await setUp()
    session.fs.writeFileSync(
      `${project.root}/src/a.svg`,
      '<svg xmlns="http://www.w3.org/2000/svg">\n<script>alert(1)</script>\n</svg>\n',
    )
    await session.flush()
    const { mark } = findChange(await changes(), 'src/a.svg')
    const file = (await ask(`${CENTS}/file?path=src/a.svg&mark=${mark}`)).json<WireFile>()
    expect(file).toMatchObject({ shows: 'text', hunks: [{ state: 'pending' }], images: { before: false, after: true } })
    expect((await ask(`${CENTS}/rows?path=src/a.svg&mark=${mark}`)).text).toContain('alert(1)')
  })
})

describe('long use', () => {
  it('keeps a bounded number of rows over many files', async () => {
    const { session, project, ask, changes } = await setUp()
    const long = Array.from(
      { length: 20_000 },
      (_, index) => `line ${index} of a text that is long enough to weigh`,
    ).join('\n')
    for (let at = 0; at < 12; at++) session.fs.writeFileSync(`${project.root}/src/long${at}.txt`, `${at}\n${long}\n`)
    await session.flush()
    const all = (await changes()).filter(({ path }) => path.includes('long'))
    setFlagsFromString('--expose-gc')
    const gc: () => void = runInNewContext('gc')
    const heapAfterReads = async () => {
      for (const { path, mark } of all)
        expect((await ask(`${CENTS}/rows?path=${path}&mark=${mark}&from=9000`)).status).toBe(200)
      gc()
      return process.memoryUsage().heapUsed
    }
    const first = await heapAfterReads()
    let last = first
    for (let round = 0; round < 2; round++) last = await heapAfterReads()
    expect(last - first).toBeLessThan(32 * 1024 * 1024)
  })
})
