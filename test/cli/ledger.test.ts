import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withStateHome } from '../../src/os/state-dir.js'
import { makeSigningKey } from '../../src/trace/index.js'
import { attestScene } from '../attest/scene.js'
import { startSession, testWorkspace } from '../support/workspace.js'
import { type CommandOutput, escrowAt, runEscrow } from './real.js'

const NAME = 'example.org/ledger'

/** Makes a directory that is removed after the test. */
function scratch(): string {
  const path = mkdtempSync(join(tmpdir(), 'escrow-ledger-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A machine with a signing key, on which commands run in a directory. */
function machine() {
  const home = scratch()
  const onMachine = <T>(work: () => Promise<T>) =>
    withStateHome(home, async () => {
      makeSigningKey()
      return work()
    })
  return {
    onMachine,
    at: (cwd: string, ...argv: string[]): Promise<CommandOutput> => onMachine(() => escrowAt(cwd, argv)),
  }
}

/** A workspace with a commit, whose ledger is published to `log` in `dir`. */
async function publishLog(...more: string[]) {
  const here = machine()
  const scene = await here.onMachine(attestScene)
  const { dir, root } = scene
  const escrow = (...argv: string[]) => here.at(root, 'ledger', ...argv)
  const log = join(dir, 'log')
  const first = await escrow('publish', log, '--origin', NAME, '--json', ...more)
  expect(first).toMatchObject({ code: 0, err: '' })
  const { key, size }: { key: string; size: number } = JSON.parse(first.out)
  const prove = async (...argv: string[]) => {
    const { code, out, err } = await escrow('prove', log, ...argv)
    expect([code, err]).toEqual([0, ''])
    const file = join(dir, 'proof')
    writeFileSync(file, out)
    return file
  }
  /** Adds lines to the ledger, and publishes them. Returns the new size. */
  const grow = () =>
    here.onMachine(async () => {
      const workspace = await scene.open()
      await startSession(workspace, 'agent-2')
      await workspace.close()
      const { out } = await escrow('publish', log, '--origin', NAME, '--json')
      const { size: now }: { size: number } = JSON.parse(out)
      return now
    })
  const lines = () => scene.text('.orchestration/agent_trace.jsonl').trimEnd().split('\n')
  return { ...scene, escrow, log, key, size, prove, grow, lines }
}

describe('escrow ledger publish', () => {
  it('prints the size and the key of the log, and adds only what is new', async () => {
    const { escrow, log, key, size, lines } = await publishLog()
    expect(size).toBe(lines().length)
    expect(await escrow('publish', log, '--origin', NAME)).toEqual({
      ...{ code: 0, err: '', out: `${NAME}: ${size} lines, 0 new.\nThe log's key: ${key}\n` },
    })
  })

  it('refuses a damaged ledger, and leaves the log unchanged', async () => {
    const { escrow, log, root, lines } = await publishLog()
    const before = readFileSync(join(log, 'checkpoint'), 'utf8')
    const whole = lines()
    writeFileSync(join(root, '.orchestration/agent_trace.jsonl'), `${whole.slice(1).join('\n')}\n`)
    const { code, out } = await escrow('publish', log, '--origin', NAME)
    expect([code, out]).toEqual([1, ''])
    expect(readFileSync(join(log, 'checkpoint'), 'utf8')).toBe(before)
    writeFileSync(join(root, '.orchestration/agent_trace.jsonl'), `${whole.join('\n')}\n`)
  })

  it("and witness are refused within an agent's session", () => {
    const { root } = testWorkspace()
    const env = Object.assign({}, process.env, { ESCROW_SESSION: 'agent-1' })
    for (const args of [
      ['ledger', 'publish', 'log'],
      ['ledger', 'witness', 'log', '--name', 'example.org/w'],
    ]) {
      const { status, stdout, stderr } = runEscrow(root, args, { env })
      expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('session')])
    }
  })
})

describe('escrow ledger prove, and verify-proof', () => {
  it('show that a line is in the log, by its number or the id of a commit', async () => {
    const { escrow, key, size, prove, lines, commit } = await publishLog()
    const first = await escrow('verify-proof', await prove('1'), '--log-key', key)
    expect(first).toEqual({
      ...{ code: 0, err: '', out: `Line 1 is in '${NAME}' of ${size} lines.\n${lines()[0]}\n` },
    })
    const { code, out } = await escrow('verify-proof', await prove(commit), '--log-key', key, '--json')
    const report = JSON.parse(out)
    expect([code, report]).toMatchObject([0, { ok: true, kind: 'inclusion', origin: NAME, size, problems: [] }])
    expect(lines()[report.line - 1]).toBe(report.text)
    expect(report.text).toContain(commit)
  })

  it('show that a log continues an older checkpoint', async () => {
    const { escrow, log, key, size, prove, grow, dir } = await publishLog()
    const older = join(dir, 'older')
    writeFileSync(older, readFileSync(join(log, 'checkpoint')))
    const grown = await grow()
    expect(grown).toBeGreaterThan(size)
    const proof = await prove('--from', older)
    const check = (...more: string[]) => escrow('verify-proof', proof, '--log-key', key, ...more)
    expect(await check('--from', older)).toEqual({
      ...{ code: 0, err: '', out: `'${NAME}' of ${grown} lines continues that of ${size}.\n` },
    })
    expect(await check()).toMatchObject({ code: 1, out: '', err: expect.stringContaining('older checkpoint') })
    expect(await check('--from', join(log, 'checkpoint'))).toMatchObject({ code: 1, out: '' })
  })

  it('explain why a proof is invalid', async () => {
    const { escrow, key, prove } = await publishLog()
    const proof = await prove('2')
    writeFileSync(proof, readFileSync(proof, 'utf8').replace('index 1', 'index 2'))
    const { code, out, err } = await escrow('verify-proof', proof, '--log-key', key)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^The proof is not valid\.\nThe proof does not lead from this text, as line 3, to .*\n$/)
    const asJson = await escrow('verify-proof', proof, '--log-key', key, '--json')
    expect([asJson.code, JSON.parse(asJson.out)]).toMatchObject([1, { ok: false, problems: [expect.any(String)] }])
  })

  it('need the line from a file if the log has only hashes', async () => {
    const { escrow, key, prove, lines, dir } = await publishLog('--hashes-only')
    const proof = await prove('2')
    const line = join(dir, 'line')
    const check = (...more: string[]) => escrow('verify-proof', proof, '--log-key', key, ...more)
    expect(await check()).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Give the line.') })
    writeFileSync(line, `${lines()[1]}\n`)
    expect(await check('--line', line)).toMatchObject({ code: 0, out: expect.stringContaining('Line 2 is in') })
    writeFileSync(line, `${lines()[2]}\n`)
    expect(await check('--line', line)).toMatchObject({ code: 1, out: '' })
  })

  it('refuse a missing line, and options that do not match', async () => {
    const { escrow, log, key, size, prove, dir } = await publishLog()
    const proof = await prove('1')
    const long = join(dir, 'long')
    writeFileSync(long, Buffer.alloc(64 * 1024 * 1024))
    const refusals: [number, ...string[]][] = [
      [1, 'prove', log, `${size + 1}`],
      [1, 'prove', dir, '1'],
      [2, 'prove', log],
      [2, 'prove', log, '1', '--from', proof],
      [1, 'verify-proof', proof, '--log-key', 'x'],
      [2, 'verify-proof', proof, '--log-key', key, '--quorum', '-1'],
      [1, 'verify-proof', long, '--log-key', key],
      [1, 'verify-proof', join(log, 'checkpoint'), '--log-key', key],
    ]
    for (const [code, ...argv] of refusals) {
      const result = await escrow(...argv)
      expect([argv, result.code, result.out]).toEqual([argv, code, ''])
      expect(result.err).not.toBe('')
    }
  })
})

describe('escrow ledger witness', () => {
  it('cosigns a log that continues, and verify-proof then requires its signature', async () => {
    const { escrow, log, key, size, prove, grow, dir } = await publishLog()
    const other = machine()
    const witness = (...more: string[]) =>
      other.at(dir, 'ledger', 'witness', log, '--name', 'example.org/w', '--json', ...more)
    expect(await witness()).toMatchObject({ code: 1, out: '' })
    const first = await witness('--log-key', key)
    expect([first.code, JSON.parse(first.out)]).toMatchObject([0, { origin: NAME, size }])
    const { key: trusted } = JSON.parse(first.out)
    const verifyCosigned = (proof: string, quorum: string) =>
      escrow('verify-proof', proof, '--log-key', key, '--witness', trusted, '--quorum', quorum)
    expect(await verifyCosigned(await prove('1'), '1')).toMatchObject({
      ...{ code: 0, out: expect.stringContaining('Cosigned by example.org/w.') },
    })
    expect(await verifyCosigned(await prove('1'), '2')).toMatchObject({ code: 1, out: '' })
    const grown = await grow()
    expect(await verifyCosigned(await prove('1'), '1')).toMatchObject({ code: 1, out: '' })
    const { code, out } = await other.at(dir, 'ledger', 'witness', log, '--name', 'example.org/w')
    expect([code, out]).toEqual([
      ...[
        0,
        `Cosigned ${NAME}: ${grown} lines; it continues the ${size} seen before.\nThe witness's key: ${trusted}\n`,
      ],
    ])
    expect(await verifyCosigned(await prove('1'), '1')).toMatchObject({ code: 0 })
  })
})
