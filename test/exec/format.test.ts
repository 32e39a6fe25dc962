import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asRelPath } from '../../overlay/index.js'
import { SessionFormat } from '../../src/exec/format.js'
import type { RunningCommand, Session } from '../../src/index.js'
import { DEFAULT_SETTINGS } from '../../src/policy/settings.js'
import { countProcesses } from '../support/processes.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

/** The effects of `format` in policy.yaml after a tool call. */

/** Makes files upper case, and prints the names that it got. */
const LOUD = 'for f in "$@"; do tr a-z A-Z < "$f" > /tmp/x && cat /tmp/x > "$f"; done'

async function scene(policy: string) {
  const project = testWorkspace()
  project.write('.orchestration/policy.yaml', policy)
  const workspace = await project.open()
  const session = await startSession(workspace)
  const commands = async () => (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'command')
  return { ...project, workspace, session, commands }
}

const yaml = (format: unknown) => `format: ${JSON.stringify(format)}\n`

const edit = (session: Session, files: Readonly<Record<string, string>>, kind: 'edit' | 'command' | 'read' = 'edit') =>
  session.toolCall({ tool: 'write', kind, id: `call-${Object.keys(files).length}` }, () => {
    for (const [path, text] of Object.entries(files)) session.fs.writeFileSync(path, text)
    return 'done'
  })

const read = (session: Session, path: string) => session.fs.readFileSync(path, 'utf8')

describe('format', () => {
  it('runs on the files of a call and stages its output as part of the call; the agent and the ledger get the result', async () => {
    const { session, text, commands } = await scene(yaml({ '*.ts': LOUD }))
    expect(await edit(session, { 'src/a.ts': 'new\n', 'src/b.txt': 'plain\n' })).toBe('done')
    expect(read(session, 'src/a.ts')).toBe('NEW\n')
    expect(read(session, 'src/b.txt')).toBe('plain\n')
    expect(read(session, 'src/b.ts')).toBe('b\n')
    expect(text('src/a.ts')).toBe('a one\na two\n')
    const { changes } = await session.changes({ call: 'call-2' })
    expect(changes.map(({ path }) => path)).toEqual(['src/a.ts', 'src/b.txt'])
    expect((await session.changes()).changes[0]?.calls).toEqual(['call-2'])
    expect(await session.feedback()).toMatchObject([{ path: 'src/a.ts', kind: 'formatted' }])
    expect(await session.feedback()).toEqual([])
    expect(await commands()).toMatchObject([
      { format: ['*.ts'], allowed: { by: 'policy.yaml' }, effects: ['src/a.ts'] },
    ])
    expect((await session.snapshots()).map(({ tool }) => tool)).toEqual(['write'])
  })

  it('applies a list of rules in order, and starts a list of words as a program', async () => {
    const rules = [
      { files: ['*.ts', 'docs/**'], run: LOUD },
      { files: 'src/*.ts', run: ['sed', '-i', 's/NEW/formatted/'] },
      { files: 'lib/**', run: 'false' },
    ]
    const { session } = await scene(yaml(rules))
    await edit(session, { 'src/a.ts': 'new\n', 'src/sub/c.ts': 'new\n' })
    expect(read(session, 'src/a.ts')).toBe('formatted\n')
    expect(read(session, 'src/sub/c.ts')).toBe('NEW\n')
    expect((await session.feedback()).map(({ path, kind }) => [path, kind])).toEqual([
      ['src/a.ts', 'formatted'],
      ['src/sub/c.ts', 'formatted'],
      ['src/a.ts', 'formatted'],
    ])
  })

  it('gives files as arguments, whatever their names', async () => {
    const { session } = await scene(yaml({ 'src/**': LOUD }))
    const names = ["src/it's $(touch x).ts", 'src/-rf', 'src/a;rm b.ts', 'src/"q"\n.ts', 'src/ .ts', 'src/*']
    for (const name of names) {
      await edit(session, { [name]: 'new\n' })
      expect(read(session, name), name).toBe('NEW\n')
    }
    expect(read(session, 'src/b.ts')).toBe('b\n')
    expect((await session.changes()).changes.map(({ path }) => path).sort()).toEqual([...names].sort())
  })

  it('stages its effects on these files, and nothing else', async () => {
    const { session } = await scene(yaml({ '*.ts': 'echo x > src/other; rm src/b.ts; echo formatted > src/a.ts #' }))
    await edit(session, { 'src/a.ts': 'new\n' })
    expect((await session.changes()).changes.map(({ path, kind }) => [path, kind])).toEqual([['src/a.ts', 'modify']])
    expect(read(session, 'src/a.ts')).toBe('formatted\n')
    expect((await session.exec('ls src')).stdout).toBe('a.ts\nb.ts\nsub\n')
  })

  it.each([
    ['a formatter that fails', 'echo half > src/a.ts; echo wrong >&2; exit 3 #', /ended with 3. wrong/],
    ['a missing formatter', 'no-such-formatter', /ended with 127/],
    ['a formatter that deletes', 'rm', undefined],
  ])('%s does not fail the call, and changes nothing', async (_, run, message) => {
    const { session } = await scene(yaml({ '*.ts': run }))
    expect(await edit(session, { 'src/a.ts': 'new\n' })).toBe('done')
    expect(read(session, 'src/a.ts')).toBe('new\n')
    await edit(session, { 'src/a.ts': 'newer\n', 'src/b.ts': 'b2\n' })
    expect(read(session, 'src/a.ts')).toBe('newer\n')
    const reported = await session.feedback()
    expect(reported.map(({ kind }) => kind)).toEqual(message ? ['format'] : [])
    if (message) expect(reported[0]?.reason).toMatch(message)
  })

  it('ignores files that commands, reads and failed calls wrote', async () => {
    const { session } = await scene(yaml({ '*.ts': LOUD }))
    await session.exec('echo new > src/a.ts')
    await edit(session, { 'src/b.ts': 'new\n' }, 'read')
    const failing = session.toolCall({ tool: 'write', kind: 'edit' }, () => {
      session.fs.writeFileSync('src/sub/c.ts', 'new\n')
      throw new Error('the tool failed')
    })
    await expect(failing).rejects.toThrow('the tool failed')
    for (const path of ['src/a.ts', 'src/b.ts', 'src/sub/c.ts']) expect(read(session, path)).toBe('new\n')
  })

  it("needs no approval beyond policy.yaml, and no rule for the agent's classes stops it", async () => {
    const { session } = await scene(`terminal: {classes: {other: deny, write: deny}}\n${yaml({ '*.ts': LOUD })}`)
    await edit(session, { 'src/a.ts': 'new\n' })
    expect(read(session, 'src/a.ts')).toBe('NEW\n')
  })

  it('is undone by a return to the snapshot before the call', async () => {
    const { session } = await scene(yaml({ '*.ts': LOUD }))
    await edit(session, { 'src/a.ts': 'new\n' })
    const [first] = await session.snapshots()
    await session.travel(first?.id ?? '')
    expect(read(session, 'src/a.ts')).toBe('a one\na two\n')
  })

  it('loses no change of a command that runs at the same time: each one is staged or quarantined', async () => {
    // The files that they wait for are outside of the workspace, where a command sees the machine's own files.
    const signals = mkdtempSync(`${homedir()}/.escrow-format-`)
    onTestFinished(() => rmSync(signals, { recursive: true, force: true }))
    const createSignal = (name: string) => writeFileSync(`${signals}/${name}`, '')
    const waitForSignal = (name: string) => `until [ -e ${signals}/${name} ]; do sleep 0.02; done;`
    const { session, workspace } = await scene(yaml({ '*.ts': `${waitForSignal('format')} ${LOUD}` }))
    const work = `${waitForSignal('first')} echo server > src/b.ts; echo one; ${waitForSignal('second')} echo server > src/a.ts; echo two; sleep 60`
    let server: RunningCommand | undefined
    const waitForOutput = async (word: string) => {
      while (!server?.read().text.includes(word)) await wait(20)
    }
    const editing = session.toolCall({ tool: 'write', kind: 'edit', id: 'racing' }, async () => {
      session.fs.writeFileSync('src/a.ts', 'new\n')
      session.fs.writeFileSync('src/b.ts', 'mine\n')
      server = await session.start(work)
    })
    while (countProcesses(`${signals}/format`) === 0) await wait(20)
    // Ingested while the formatter changes the same file.
    createSignal('first')
    await waitForOutput('one')
    expect((await server?.ingest())?.effects.changes.map(({ path }) => path)).toEqual(['src/b.ts'])
    createSignal('format')
    await editing
    expect([read(session, 'src/a.ts'), read(session, 'src/b.ts')]).toEqual(['NEW\n', 'server\n'])
    expect((await session.feedback()).map(({ path, kind }) => `${kind} ${path}`)).toEqual(['formatted src/a.ts'])
    // And in the other order: it does not know the formatter's change of this file.
    createSignal('second')
    await waitForOutput('two')
    const { refused } = (await server?.stop()) ?? {}
    expect(refused?.map(({ path, reason }) => `${path} ${reason}`)).toEqual(['src/a.ts stale_file'])
    expect(read(session, 'src/a.ts')).toBe('NEW\n')
    const kept = await (await workspace.review('agent')).quarantined()
    expect(kept.map(({ path, reason, canBeTaken }) => [path, reason, canBeTaken])).toEqual([
      ['src/b.ts', 'stale_file', true],
      ['src/a.ts', 'stale_file', true],
    ])
  })
})

describe('a formatter that takes too long', () => {
  const RULE = { files: ['*.ts'], run: 'slow', matches: () => true }
  const end = (exitCode: number | null) => ({ exitCode, stdout: '', stderr: '', truncated: false, began: true })

  function setUpSlowFormat(run: ConstructorParameters<typeof SessionFormat>[1]['run']) {
    const reported: string[] = []
    const format = new SessionFormat(
      { settings: () => ({ ...DEFAULT_SETTINGS, format: [RULE] }) },
      { run },
      { typeOf: () => 'file' },
      ({ reason }) => reported.push(reason),
      20,
    )
    return { reported, runFormat: () => format.after({ kind: 'edit' }, new Set(['a.ts'])) }
  }

  it('is not waited for, and does not start when its turn comes later', async () => {
    let release = () => {}
    const started: unknown[] = []
    const { reported, runFormat } = setUpSlowFormat(async (_, options, signal) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      expect(options.signal?.aborted).toBe(true)
      started.push(await signal?.admit?.())
      throw new Error('not reached')
    })
    await runFormat()
    expect(reported).toEqual(['Not formatted: slow: no time was left'])
    release()
    await new Promise((resolve) => setImmediate(resolve))
    expect(started).toEqual([])
  })

  it('has the remaining time at most, and nothing of it is staged if it was ended', async () => {
    const effect = { kind: 'gone', path: asRelPath('a.ts') } as const
    const file = {
      ...effect,
      kind: 'file',
      mode: 0o644,
      size: 1,
      ino: 1,
      stamp: '',
      read: () => Buffer.from(''),
    } as const
    const { reported, runFormat } = setUpSlowFormat(async (_, options, signal) => {
      expect(options.timeout).toBeLessThanOrEqual(20)
      const lands = [
        signal?.accepts?.(file, end(null)),
        signal?.accepts?.(file, end(1)),
        signal?.accepts?.(effect, end(0)),
      ]
      expect([...lands, signal?.accepts?.(file, end(0))]).toEqual([false, false, false, true])
      expect(signal?.accepts?.({ ...file, path: asRelPath('b.ts') }, end(0))).toBe(false)
      const effects = { digest: '', changes: [] }
      const rest = { summary: '', truncated: true, isolation: 'sandbox' } as const
      return { ...end(null), ended: 'timeout', effects, ...rest, refused: [], kept: [] }
    })
    await runFormat()
    await runFormat()
    expect(reported).toEqual(['Not formatted: slow: it took too long'])
  })
})
