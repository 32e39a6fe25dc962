import fs from 'node:fs'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { describe, expect, it, vi } from 'vitest'
import { createBareFacade, tempDir, treeOf } from '../support/facade.js'

/**
 * Behaviour that needs more than one call: the same script by `node:fs` on a directory and by the facade on a copy of
 * it.
 */

type Script = (api: typeof fs, root: string) => unknown

const inheritFrom = (options: object): object => Object.create(options)
const write = (api: typeof fs, path: string, options: object) => pipeline(['new'], api.createWriteStream(path, options))
const bytes = () => Buffer.alloc(4, '-')
const signalOf = (abort: (controller: AbortController) => void) => {
  const controller = new AbortController()
  abort(controller)
  return controller.signal
}
const soon = () => signalOf((controller) => process.nextTick(() => controller.abort()))
const promisifyCall = (run: (done: (...answer: unknown[]) => void) => void) =>
  new Promise((resolve, reject) => run((error, ...rest) => (error ? reject(error) : resolve(rest.map(String)))))

async function withHandle(
  api: typeof fs,
  root: string,
  run: (handle: fs.promises.FileHandle) => unknown,
  flags = 'r+',
) {
  const handle = await api.promises.open(`${root}/file`, flags)
  try {
    return await run(handle)
  } finally {
    await handle.close()
  }
}

const SCRIPTS: Record<string, Script> = {
  'close without a callback': async (api, root) => {
    const fd = api.openSync(`${root}/file`, 'r')
    const result = api.close(fd)
    // Node closes it in another thread.
    const code = await vi.waitFor(() => {
      try {
        api.fstatSync(fd)
      } catch (error) {
        return (error as NodeJS.ErrnoException).code
      }
      throw new Error('The descriptor is still open.')
    })
    return [result, code]
  },
  'truncate by a descriptor': (api, root) => {
    const fd = api.openSync(`${root}/file`, 'r+')
    Reflect.apply(api.truncateSync, api, [fd, 4])
    api.closeSync(fd)
    return api.readFileSync(`${root}/file`, 'utf8')
  },
  'truncate by a descriptor, with a callback': async (api, root) => {
    const fd = api.openSync(`${root}/file`, 'r+')
    await promisifyCall((done) => Reflect.apply(api.truncate, api, [fd, 3, done]))
    api.closeSync(fd)
    return api.readFileSync(`${root}/file`, 'utf8')
  },
  'FileHandle.read without a length': (api, root) =>
    withHandle(api, root, (handle) => handle.read(bytes(), 0, undefined, 0)),
  'FileHandle.read with a length of null': (api, root) =>
    withHandle(api, root, (handle) => handle.read(bytes(), 1, null, 2)),
  'FileHandle.read with an offset alone': (api, root) => withHandle(api, root, (handle) => handle.read(bytes(), 1)),
  'FileHandle.read with a buffer alone': (api, root) => withHandle(api, root, (handle) => handle.read(bytes())),
  'FileHandle.read with options behind the buffer': (api, root) =>
    withHandle(api, root, (handle) => handle.read(bytes(), { offset: 1, length: 2, position: 3 })),
  'FileHandle.read with options alone': (api, root) =>
    withHandle(api, root, (handle) => handle.read({ buffer: bytes(), position: 5 })),
  'FileHandle.read with nothing': (api, root) =>
    withHandle(api, root, async (handle) => {
      const { bytesRead, buffer } = await handle.read()
      return [bytesRead, buffer.byteLength, buffer.toString('utf8', 0, bytesRead)]
    }),
  'FileHandle.read of no length': (api, root) => withHandle(api, root, (handle) => handle.read(bytes(), 0, 0, 0)),
  'FileHandle.read with a wrong offset': (api, root) =>
    withHandle(api, root, (handle) => handle.read(bytes(), 9, 1, 0)),
  'readSync with options': (api, root) => {
    const fd = api.openSync(`${root}/file`, 'r')
    const buffer = bytes()
    const counts = [{}, { offset: 1 }, { length: 2 }, { position: 7 }].map((options) =>
      api.readSync(fd, buffer, options),
    )
    api.closeSync(fd)
    return [counts, buffer.toString()]
  },
  'a closed FileHandle': async (api, root) => {
    const handle = await api.promises.open(`${root}/file`)
    await handle.close()
    const calls: (() => Promise<unknown>)[] = [
      () => handle.stat(),
      () => handle.read(bytes(), 0, 1, 0),
      () => handle.write('x'),
      () => handle.readFile(),
      () => handle.writeFile('x'),
      () => handle.appendFile('x'),
      () => handle.chmod(0o600),
      () => handle.chown(0, 0),
      () => handle.datasync(),
      () => handle.sync(),
      () => handle.truncate(),
      () => handle.utimes(1, 1),
      () => handle.readv([bytes()]),
      () => handle.writev([bytes()]),
    ]
    const results = []
    for (const call of calls)
      results.push(await call().catch(({ code, syscall, message }) => ({ code, syscall, message })))
    return [results, await handle.close()]
  },
  'a stream closes the FileHandle once, though it is closed as well': async (api, root) => {
    const handle = await api.promises.open(`${root}/file`)
    const stream = handle.createReadStream()
    const content = await text(stream)
    await handle.close()
    return [content, handle.fd]
  },
  'FileHandle.close under a stream': async (api, root) => {
    const handle = await api.promises.open(`${root}/file`)
    const stream = handle.createReadStream({ highWaterMark: 2 })
    const events: unknown[] = []
    for (const event of ['error', 'end', 'close']) stream.on(event, (error) => events.push(event, error?.code))
    stream.once('data', () => {})
    await new Promise((done) => stream.once('data', done))
    stream.pause()
    const closing = handle.close()
    stream.destroy()
    await closing
    await new Promise((done) => setTimeout(done, 20))
    return events
  },
  'FileHandle.close while a stream reads': async (api, root) => {
    const handle = await api.promises.open(`${root}/file`)
    const stream = handle.createReadStream({ highWaterMark: 1 })
    const errors: unknown[] = []
    stream.on('error', (error) => errors.push({ ...error }))
    const closed = new Promise((done) => stream.once('close', done))
    await new Promise((done) => stream.once('data', done))
    await handle.close()
    await closed
    return [errors, stream.destroyed, handle.fd]
  },
  'FileHandle.close while a stream writes': async (api, root) => {
    const handle = await api.promises.open(`${root}/file`, 'r+')
    const stream = handle.createWriteStream()
    const errors: unknown[] = []
    stream.on('error', (error) => errors.push({ ...error }))
    const closed = new Promise((done) => stream.once('close', done))
    stream.write('abc')
    await handle.close()
    await closed
    return [errors, stream.destroyed, handle.fd]
  },
  'a signal aborted before the call': async (api, root) => {
    const signal = AbortSignal.abort()
    return Promise.all(
      [
        api.promises.readFile(`${root}/file`, { signal }),
        api.promises.writeFile(`${root}/file`, 'x', { signal }),
        Reflect.apply(api.promises.appendFile, api.promises, [`${root}/file`, 'x', { signal }]) as Promise<void>,
        withHandle(api, root, (handle) => handle.readFile({ signal })),
        withHandle(api, root, (handle) => handle.writeFile('x', { signal })),
        promisifyCall((done) => api.readFile(`${root}/file`, { signal }, done)),
        promisifyCall((done) => api.writeFile(`${root}/file`, 'x', { signal }, done)),
      ].map((call) => call.catch(({ name, code }) => ({ name, code }))),
    )
  },
  'a signal aborted soon after the call': async (api, root) =>
    Promise.all(
      [
        api.promises.readFile(`${root}/file`, { signal: soon() }),
        api.promises.writeFile(`${root}/new`, 'x'.repeat(100), { signal: soon() }),
        promisifyCall((done) => api.readFile(`${root}/file`, { signal: soon() }, done)),
        promisifyCall((done) => api.writeFile(`${root}/new2`, 'x', { signal: soon() }, done)),
      ].map((call) => call.catch(({ name, code }) => ({ name, code }))),
    ).finally(() => {
      for (const name of ['new', 'new2']) api.rmSync(`${root}/${name}`, { force: true })
    }),
  'a signal aborted between the chunks that are written': async (api, root) => {
    const controller = new AbortController()
    async function* chunks() {
      yield 'first'
      controller.abort()
      yield 'second'
    }
    try {
      await api.promises.writeFile(`${root}/new`, chunks(), { signal: controller.signal })
      return 'written'
    } catch (error) {
      return (error as Error).name
    } finally {
      api.rmSync(`${root}/new`, { force: true })
    }
  },
  'createWriteStream reads inherited options': async (api, root) => {
    await write(api, `${root}/file`, inheritFrom({ flags: 'a' }))
    return api.readFileSync(`${root}/file`, 'utf8')
  },
  'createReadStream reads inherited options': (api, root) =>
    text(api.createReadStream(`${root}/file`, inheritFrom({ start: 2, end: 3 }))),
  'a FileHandle’s streams read only own options': (api, root) =>
    withHandle(api, root, (handle) => text(handle.createReadStream(inheritFrom({ start: 2 })))),
  'streams created with new': async (api, root) => {
    const Read = api.createReadStream as unknown as new (path: string) => fs.ReadStream
    const stream = new Read(`${root}/file`)
    return [stream instanceof fs.ReadStream, await text(stream)]
  },
  'a wrong encoding is refused before the file is looked for': (api, root) =>
    (['readFileSync', 'readdirSync', 'readlinkSync', 'realpathSync', 'mkdtempSync', 'opendirSync'] as const).map(
      (name) => {
        try {
          return Reflect.apply(api[name], api, [`${root}/absent/x`, { encoding: 'bogus' }])
        } catch (error) {
          return (error as NodeJS.ErrnoException).code
        }
      },
    ),
  'streams with a wrong encoding': (api, root) =>
    (['ReadStream', 'WriteStream', 'createReadStream', 'createWriteStream'] as const).map((name) => {
      try {
        return Reflect.construct(api[name], [`${root}/file`, 'bogus'])
      } catch (error) {
        return (error as NodeJS.ErrnoException).code
      }
    }),
  'the events of a ReadStream of an absent file': (api, root) => events(api.createReadStream(`${root}/absent`)),
  'the events of a ReadStream of a directory': (api, root) => events(api.createReadStream(`${root}/dir`).resume()),
  'the events of a WriteStream of a directory': (api, root) => events(api.createWriteStream(`${root}/dir`)),
  'the events of a ReadStream': (api, root) => events(api.createReadStream(`${root}/file`).resume()),
  'the events of a WriteStream': (api, root) => events(api.createWriteStream(`${root}/file`).end('x')),
  'the events of a WriteStream with wx': (api, root) => events(api.createWriteStream(`${root}/file`, { flags: 'wx' })),
  'the name of opendir’s callback in its error': (api, root) => {
    try {
      return Reflect.apply(api.opendir, api, [`${root}/dir`])
    } catch (error) {
      return (error as Error).message
    }
  },
  'realpath.native of names with a suffix': async (api, root) => {
    const results = []
    for (const name of ['file', 'file/', 'file/.', 'dir/', 'dir/..', 'dangling', 'dangling/', 'absent', 'file/x'])
      try {
        results.push(api.realpathSync.native(`${root}/${name}`))
      } catch (error) {
        results.push({ ...(error as object) })
      }
    return results
  },
  'watchFile stops once': async (api, root) => {
    const events: string[] = []
    const watcher = api.watchFile(`${root}/file`, () => {})
    watcher.on('stop', () => events.push('stop'))
    for (const stop of [
      () => api.unwatchFile(`${root}/file`),
      () => Reflect.apply(Reflect.get(watcher, 'stop'), watcher, []),
    ]) {
      stop()
      await new Promise((done) => setImmediate(done))
    }
    return events
  },
  'empty names': async (api, root) => {
    const results: unknown[] = []
    const sync = (run: () => unknown) => {
      try {
        results.push(run())
      } catch (error) {
        const { code, syscall, path } = error as NodeJS.ErrnoException
        results.push([code, syscall, path])
      }
    }
    sync(() => api.writeFileSync('', 'x'))
    sync(() => api.rmSync('', { force: true }))
    sync(() => api.rmSync('', { force: true, recursive: true }))
    sync(() => api.rmSync(''))
    sync(() => api.mkdirSync(''))
    sync(() => api.mkdirSync('', { recursive: true }))
    sync(() => api.renameSync('', `${root}/x`))
    sync(() => api.renameSync(`${root}/file`, ''))
    sync(() => api.copyFileSync(`${root}/file`, ''))
    sync(() => api.symlinkSync('x', ''))
    sync(() => api.linkSync(`${root}/file`, ''))
    sync(() => api.openSync('', 'w'))
    sync(() => api.statSync(''))
    sync(() => api.chmodSync('', 0o600))
    return results
  },
  'mkdir -p through an absent directory and back to a dangling link': (api, root) => {
    try {
      return api.mkdirSync(`${root}/absent/../dangling`, { recursive: true })
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    }
  },
  'readFile of a directory with a flag that writes': async (api, root) => {
    const shape = ({ code, syscall, path }: NodeJS.ErrnoException) => [code, syscall, path]
    const results = []
    for (const flag of ['r', 'r+', 'rs+'])
      results.push(await api.promises.readFile(`${root}/dir`, { flag }).catch(shape))
    return results
  },
  'readFile into a buffer, in three forms': async (api, root) => {
    const results: unknown[] = []
    const shape = ({ name, code, message }: NodeJS.ErrnoException) => [name, code, message]
    const read = async (buffer: unknown, encoding?: string) => {
      const options = { buffer, encoding } as object
      const forms = [
        async () => api.readFileSync(`${root}/file`, options),
        () => api.promises.readFile(`${root}/file`, options),
        () =>
          new Promise((done, fail) => api.readFile(`${root}/file`, options, (e, data) => (e ? fail(e) : done(data)))),
      ]
      for (const form of forms) results.push(await form().catch(shape))
    }
    const [large, small] = [Buffer.alloc(16), new Uint8Array(4)]
    for (const buffer of [large, new Uint16Array(8), small, 5, null, 'text']) await read(buffer)
    for (const buffer of [(size: number) => Buffer.alloc(size), () => large, () => small, () => undefined])
      await read(buffer)
    await read(large, 'utf8')
    return [results, large.toString()]
  },
  'readFile of a staged file into a part of a buffer': async (api, root) => {
    api.writeFileSync(`${root}/new`, 'abc')
    const whole = Buffer.alloc(8, '.')
    const read = await api.promises.readFile(`${root}/new`, { buffer: whole.subarray(2, 6) } as object)
    return [read, whole.toString()]
  },
  'stat with a signal': async (api, root) => {
    const shape = ({ name, code }: NodeJS.ErrnoException) => [name, code]
    const sizes: unknown[] = []
    for (const signal of [AbortSignal.abort(), new AbortController().signal, 5, null])
      for (const method of ['stat', 'lstat'] as const) {
        const stats = api.promises[method](`${root}/file`, { signal } as object)
        sizes.push(await stats.then(({ size }) => Number(size), shape))
      }
    return sizes
  },
  'readFile of an existing file with wx': async (api, root) =>
    api.promises.readFile(`${root}/file`, { flag: 'wx' }).catch(({ code }) => code),
  'a stream of a FileHandle calls the handle’s own methods': async (api, root) => {
    const results: unknown[] = []
    const openRecorded = async (flags: string) => {
      const handle = await api.promises.open(`${root}/file`, flags)
      for (const name of ['read', 'write', 'writev', 'sync', 'close'] as const) {
        const original = handle[name]
        const record = (...args: unknown[]) => {
          results.push([name, args.length])
          return Reflect.apply(original, handle, args)
        }
        Reflect.set(handle, name, record)
      }
      return handle
    }
    const reader = await openRecorded('r')
    results.push(await text(reader.createReadStream({ highWaterMark: 4 })), reader.fd)
    const reader2 = await openRecorded('r')
    results.push(await text(Reflect.apply(api.createReadStream, api, [null, { fd: reader2 }])), reader2.fd)
    const writer = await openRecorded('r+')
    const stream = writer.createWriteStream(Object.assign({}, { flush: true }))
    for (const chunk of ['a', 'b', 'c']) stream.write(chunk)
    await new Promise((done) => stream.once('close', done).end('d'))
    return [results, writer.fd]
  },
  'a FileHandle’s stream fails with its method’s error': async (api, root) => {
    const failing = () => Promise.reject(Object.assign(new Error('mine'), { code: 'MINE' }))
    const results: unknown[] = []
    const read = await api.promises.open(`${root}/file`)
    Reflect.set(read, 'read', failing)
    results.push(await events(read.createReadStream().resume()), read.fd)
    const write = await api.promises.open(`${root}/file`, 'r+')
    Reflect.set(write, 'write', failing)
    results.push(await events(write.createWriteStream().end('x')), write.fd)
    return results
  },
  'a stream of a FileHandle takes no fs': (api, root) =>
    withHandle(api, root, (handle) =>
      [api.createReadStream, api.createWriteStream].map((create) => {
        try {
          return Reflect.apply(create, api, [null, { fd: handle, fs: { read: api.read, write: api.write } }])
        } catch (error) {
          return [(error as NodeJS.ErrnoException).code, (error as Error).message]
        }
      }),
    ),
  'streams call functions that were patched': async (api, root) => {
    const results: string[] = []
    const names = ['open', 'read', 'write', 'writev', 'fsync', 'close'] as const
    const originals = names.map((name) => api[name])
    try {
      for (const [i, name] of names.entries())
        Reflect.set(api, name, (...args: unknown[]) => {
          results.push(name)
          return Reflect.apply(Object(originals[i]), api, args)
        })
      results.push(await text(api.createReadStream(`${root}/file`)))
      const stream = api.createWriteStream(`${root}/new`, { flush: true })
      for (const chunk of ['a', 'b', 'c']) stream.write(chunk)
      await new Promise((done) => stream.once('close', done).end('d'))
    } finally {
      for (const [i, name] of names.entries()) Reflect.set(api, name, originals[i])
    }
    return results
  },
  'an fs option whose members are not functions': async (api, root) => {
    const results: unknown[] = []
    const { open, read, write, writev, fsync, close } = api
    const whole = { open, read, write, writev, fsync, close }
    for (const create of [api.createReadStream, api.createWriteStream])
      for (const name of [...Object.keys(whole), 'all'])
        for (const value of ['x', 1, null, {}, undefined])
          for (const more of [{}, { autoClose: false }, { flush: true }]) {
            const option = name === 'all' ? value : { ...whole, [name]: value }
            try {
              const options = { ...more, flags: 'r+', fs: option }
              const stream: fs.ReadStream | fs.WriteStream = Reflect.apply(create, api, [`${root}/file`, options])
              const closed = new Promise((done) => stream.on('error', () => undefined).once('close', done))
              stream.destroy()
              await closed
              results.push([create.name, name, value, 'made'])
            } catch (error) {
              results.push([create.name, name, value, (error as NodeJS.ErrnoException).code, (error as Error).message])
            }
          }
    return results
  },
  'a Dir refuses synchronous calls while it reads': async (api, root) => {
    const results: unknown[] = []
    const recordResult = (run: () => unknown) => {
      try {
        const value = run()
        results.push(value instanceof fs.Dirent ? 'an entry' : value)
      } catch (error) {
        results.push([(error as NodeJS.ErrnoException).code, (error as Error).message])
      }
    }
    const dir = await api.promises.opendir(root)
    const first = dir.read()
    recordResult(() => dir.readSync())
    recordResult(() => dir.closeSync())
    await first
    recordResult(() => dir.readSync())
    const closing = dir.close()
    recordResult(() => dir.readSync())
    recordResult(() => dir.closeSync())
    await closing
    const other = api.opendirSync(root, { bufferSize: 1 })
    const calledBack = new Promise((done) => other.read((error, entry) => done([error, entry instanceof fs.Dirent])))
    recordResult(() => other.closeSync())
    results.push(await calledBack)
    const names = (await Promise.all([other.read(), other.read(), other.read()])).map((entry) => entry?.name ?? null)
    results.push(names.length, new Set(names).size)
    const order: string[] = []
    await Promise.all([other.read().then(() => order.push('read')), other.close().then(() => order.push('close'))])
    const iterated = api.opendirSync(root)
    const entries = iterated[Symbol.asyncIterator]()
    const next = entries.next()
    recordResult(() => iterated.readSync())
    await next
    await entries.return?.(undefined)
    recordResult(() => iterated.closeSync())
    return [results, order]
  },
  'reading a whole file of more than 2 GiB': async (api, root) => {
    const results: unknown[] = []
    const recordResult = async (run: () => unknown) => {
      try {
        results.push(await run())
      } catch (error) {
        const { name, code, message } = error as NodeJS.ErrnoException
        results.push([name, code, message])
      }
    }
    const fd = api.openSync(`${root}/file`, 'r')
    const path = `${root}/huge`
    // Only its length: it uses no space, and is removed before trees are compared.
    fs.closeSync(fs.openSync(path, 'w'))
    fs.truncateSync(path, 2 ** 31)
    const huge = api.openSync(path, 'r')
    const handle = await api.promises.open(path)
    await recordResult(() => api.readFileSync(path))
    await recordResult(() => api.promises.readFile(path))
    await recordResult(() => promisifyCall((done) => api.readFile(path, done)))
    await recordResult(() => api.readFileSync(huge))
    await recordResult(() => handle.readFile())
    await recordResult(() => api.readSync(huge, bytes(), 0, 4, 2 ** 31))
    await recordResult(() => api.readFileSync(fd, 'utf8'))
    await handle.close()
    for (const each of [fd, huge]) api.closeSync(each)
    fs.rmSync(path)
    return results
  },
  'mkdtemp with an invalid prefix': (api, root) =>
    [`${root}/a\0`, Buffer.from(`${root}/b\0`), 1].map((prefix) => {
      try {
        return Reflect.apply(api.mkdtempSync, api, [prefix])
      } catch (error) {
        return [(error as NodeJS.ErrnoException).code, (error as Error).message.replace(/Received .*/s, '')]
      }
    }),
  'readFile of existing names with a flag for a new file': async (api, root) => {
    const results: unknown[] = []
    for (const name of ['file', 'dir', 'dangling'])
      for (const flag of ['wx', 'wx+', 'ax', 'ax+'])
        results.push(
          await api.promises.readFile(`${root}/${name}`, { flag }).catch(({ code, syscall }) => [code, syscall]),
        )
    return results
  },
}

async function events(stream: fs.ReadStream | fs.WriteStream): Promise<unknown[]> {
  const emitted: unknown[] = []
  for (const name of ['open', 'ready', 'end', 'finish', 'error', 'close'])
    stream.on(name, (value) => emitted.push(value instanceof Error ? [name, { ...value }] : name))
  await new Promise((done) => stream.once('close', done))
  return emitted
}

function seed(root: string): void {
  fs.mkdirSync(`${root}/dir`, { recursive: true })
  fs.writeFileSync(`${root}/file`, '0123456789')
  fs.symlinkSync('nowhere', `${root}/dangling`)
}

async function resultText(script: Script, api: typeof fs, root: string): Promise<string> {
  const show = (value: unknown) =>
    JSON.stringify(value, (_, each) => (each instanceof Uint8Array ? Buffer.from(each).toString() : each)) ??
    'undefined'
  try {
    return show(await script(api, root)).replaceAll(root, '<root>')
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException
    // Descriptors of a facade have other numbers.
    return `${name} ${code} ${message}`.replaceAll(root, '<root>').replace(/type number \(\d+\)/, 'type number')
  }
}

describe('the facade behaves as node:fs', () => {
  it.each(Object.entries(SCRIPTS))('%s', async (_, script) => {
    const outer = tempDir()
    try {
      const [real, copy] = [`${outer.path}/real`, `${outer.path}/copy`]
      seed(real)
      seed(copy)
      const facade = createBareFacade(copy)
      const wanted = await resultText(script, fs, real)
      expect(await resultText(script, facade.fs, copy)).toBe(wanted)
      expect(treeOf(facade.fs, copy)).toEqual(treeOf(fs, real))
    } finally {
      outer.dispose()
    }
  })
})
