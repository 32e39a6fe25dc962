import childProcess, { type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { hostPrograms, type Session } from '../../src/index.js'
import { metadataOf, recordsOf, startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

/** Lists the files below its last argument, as ripgrep does with `--files`; `-e` makes it print, complain, wait or fail. */
const RG = `#!/bin/sh
for last; do :; done
case "$2" in
  wrong) echo wrong >&2; exit 2;;
  wait) echo begun; sleep 1000;;
  write) echo written > "$last/written.ts";;
  many) yes line | head -5000;;
  *) find "$last" -type f | sort;;
esac
`

let project: TestWorkspace
let session: Session
let rg: string
let programs: typeof childProcess
const here = process.cwd()

beforeEach(async () => {
  project = testWorkspace()
  project.write('tools/rg', RG)
  rg = `${project.root}/tools/rg`
  chmodSync(rg, 0o755)
  session = await startSession(await project.open())
  session.fs.writeFileSync('src/staged.ts', '')
  session.fs.unlinkSync('src/b.ts')
  programs = hostPrograms(session)
})

const inCall = <T>(work: () => Promise<T> | T): Promise<T> => {
  return session.toolCall({ tool: 'search_files', kind: 'other' }, work)
}

/** Collects a child's output as a host's file listing does. */
async function listFiles(child: ChildProcessWithoutNullStreams) {
  let [output, complaint] = ['', '']
  child.stdout.on('data', (data) => {
    output += String(data)
  })
  child.stderr.on('data', (data) => {
    complaint += String(data)
  })
  const exits: unknown[] = []
  child.on('exit', (code, signal) => exits.push([code, signal]))
  const [code, signal] = await once(child, 'close')
  const names = output.split('\n').map((line) => line.replace(`${project.root}/`, ''))
  return { names: names.filter((line) => line !== ''), complaint, code, signal, exits }
}

describe('ripgrep', () => {
  it.each(['in a tool call', 'out of one'])('sees staged files, %s', async (where) => {
    const run = () => listFiles(programs.spawn(rg, ['--files', '--hidden', `${project.root}/src`]))
    const { names, ...ended } = await (where === 'in a tool call' ? inCall(run) : run())
    expect(names).toEqual(['src/a.ts', 'src/staged.ts', 'src/sub/c.ts'])
    expect(ended).toEqual({ complaint: '', code: 0, signal: null, exits: [[0, null]] })
  })

  it('streams line by line, and can be ended early', async () => {
    const child = programs.spawn(rg, ['-e', 'many', '.'])
    const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })
    let count = 0
    lines.on('line', () => {
      if (++count < 1500) return
      lines.close()
      child.kill()
    })
    await once(lines, 'close')
    expect(count).toBeGreaterThanOrEqual(1500)
    await once(child, 'close')
    expect(child.kill()).toBe(false)
  })

  it('is ended by kill as by a signal', async () => {
    const child = programs.spawn(rg, ['-e', 'wait', '.'])
    child.stdout.once('data', () => expect([child.kill(), child.killed]).toEqual([true, true]))
    expect(await listFiles(child)).toMatchObject({ names: ['begun'], code: null, signal: 'SIGTERM' })
    expect(child.pid).toBeUndefined()
  })

  it('reports errors on stderr and by its exit code', async () => {
    const result = await listFiles(programs.spawn(rg, ['-e', 'wrong', '.']))
    expect(result).toMatchObject({ complaint: 'wrong\n', code: 2, exits: [[2, null]] })
  })

  it('closes even if nobody reads its output', async () => {
    const [code] = await once(programs.spawn(rg, ['--files', project.root]), 'close')
    expect(code).toBe(0)
  })

  it('never changes the disk', async () => {
    await listFiles(programs.spawn(rg, ['-e', 'write', `${project.root}/src`]))
    expect(existsSync(`${project.root}/src/written.ts`)).toBe(false)
    expect(session.fs.existsSync('src/written.ts')).toBe(false)
    await inCall(() => listFiles(programs.spawn(rg, ['-e', 'write', `${project.root}/src`])))
    expect(existsSync(`${project.root}/src/written.ts`)).toBe(false)
    expect(session.fs.existsSync('src/written.ts')).toBe(true)
  })

  it("runs in the process's or the given directory, and at the root from outside", async () => {
    const at = async (cwd?: string) => (await listFiles(programs.spawn(rg, ['--files', '.'], { cwd }))).names
    expect(await at(`${project.root}/src`)).toEqual(['./a.ts', './staged.ts', './sub/c.ts'])
    expect(here.startsWith(project.root)).toBe(false)
    expect(await at()).toContain('./mail/m.ts')
  })

  it('is recorded as a command of the tool call, and not recorded outside of one', async () => {
    const commands = async () =>
      (await recordsOf(await project.open())).map(metadataOf).filter(({ type }) => type === 'command')
    await listFiles(programs.spawn(rg, ['--files', project.root]))
    await session.flush()
    expect(await commands()).toEqual([])
    await inCall(() => listFiles(programs.spawn(rg, ['--files', project.root])))
    await session.flush()
    expect(await commands()).toHaveLength(1)
  })

  it('that policy denies prints the reason and exits with 126', async () => {
    project.write('.orchestration/policy.yaml', 'terminal: {classes: {other: deny, read-only: deny}}')
    const result = await inCall(() => listFiles(programs.spawn(rg, ['--files', project.root])))
    expect(result).toMatchObject({ code: 126, complaint: expect.stringContaining('Access Denied') })
    const lost = hostPrograms(() => {
      throw new Error('no session yet')
    })
    expect(await listFiles(lost.spawn('rg.exe', []))).toMatchObject({ code: 126, complaint: 'no session yet\n' })
  })
})

describe('any other program', () => {
  const mark = () => `${project.root}/ran`
  const denied = { code: 'EACCES', reason: 'access_denied', path: 'touch' }

  it("is the host's own outside of tool calls", async () => {
    await once(programs.spawn('touch', [mark()]), 'close')
    expect(existsSync(mark())).toBe(true)
    expect(String(programs.execFileSync('echo', ['one']))).toBe('one\n')
    expect(await promisify(programs.execFile)('echo', ['two'])).toMatchObject({ stdout: 'two\n' })
    expect(await promisify(programs.exec)('echo three')).toMatchObject({ stdout: 'three\n' })
  })

  it("is refused in a tool call in every form, with Node's error for a forbidden program", async () => {
    await inCall(async () => {
      const { ChildProcess } = programs
      for (const start of [
        () => programs.spawn('touch', [mark()]),
        () => programs.spawn('touch', [mark()], { shell: true }),
        () => programs.execFile('touch', [mark()]),
        () => programs.fork('touch', [mark()]),
      ]) {
        const child = start()
        let complaint = ''
        child.stderr?.on('data', (data) => {
          complaint += String(data)
        })
        const events: string[] = []
        for (const event of ['spawn', 'exit', 'error'] as const) child.on(event, () => events.push(event))
        const stdinClosed = child.stdin && once(child.stdin, 'close')
        expect(await once(child, 'close')).toEqual([126, null])
        await stdinClosed
        expect([child.pid, child instanceof ChildProcess, events]).toEqual([undefined, true, ['spawn', 'exit']])
        expect(complaint).toMatch(/^Access Denied: 'touch' would run without containment[^\n]*\n$/)
      }
      const failure = await new Promise<unknown>((resolve) => programs.exec('touch', (error) => resolve(error)))
      expect(failure).toMatchObject(denied)
      await expect(promisify(programs.execFile)('touch', [mark()])).rejects.toMatchObject(denied)
      await expect(promisify(programs.exec)('touch')).rejects.toMatchObject(denied)
      expect(programs.spawnSync('touch', [mark()])).toMatchObject({ status: null, error: denied })
      expect(() => programs.execFileSync('touch', [mark()])).toThrow(expect.objectContaining(denied))
      expect(() => programs.execSync('touch')).toThrow(expect.objectContaining(denied))
      const made: unknown = Reflect.construct(ChildProcess, [])
      const spawn: unknown = Reflect.get(Object(made), 'spawn')
      const spec = { file: 'touch', args: ['touch', mark()] }
      expect(() => Reflect.apply(Object(spawn), made, [spec])).toThrow(expect.objectContaining(denied))
    })
    expect(existsSync(mark())).toBe(false)
  })

  it('is not taken for ripgrep by a similar name, or when run by a shell', async () => {
    await inCall(async () => {
      for (const [program, options] of [
        ['rgx', {}],
        ['/usr/bin/rg.sh', {}],
        ['rg', { shell: true }],
      ] as const) {
        expect(await once(programs.spawn(program, [], options), 'close')).toEqual([126, null])
      }
    })
  })

  it('is started if it is the containing shell', async () => {
    const shell = `${project.root}/tools/sh`
    project.write('tools/sh', '#!/bin/sh\necho shell: "$@"\n')
    chmodSync(shell, 0o755)
    const governed = hostPrograms(session, { shell })
    const outputOf = async (child: ChildProcess) => {
      const [chunk] = await once(child.stdout ?? child, 'data')
      return String(chunk)
    }
    await inCall(async () => {
      expect(await outputOf(governed.spawn('ls -l', [], { shell }))).toBe('shell: -c ls -l\n')
      expect(await outputOf(governed.spawn(shell, ['-c', 'ls']))).toBe('shell: -c ls\n')
      expect(await once(governed.spawn(shell, [], { shell: '/bin/sh' }), 'close')).toEqual([126, null])
      expect(() => governed.execSync(shell)).toThrow(expect.objectContaining({ code: 'EACCES' }))
    })
  })
})

it("child_process has every function of the host's, each governed", () => {
  const names = Object.keys(childProcess).filter((name) => typeof Reflect.get(childProcess, name) === 'function')
  expect(Object.keys(programs).sort()).toEqual(names.sort())
  for (const name of names) expect(Reflect.get(programs, name), name).not.toBe(Reflect.get(childProcess, name))
})
