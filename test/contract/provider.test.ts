import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { nameOfContainment } from '../../src/core/protection.js'
import type { CommandEnd } from '../../src/terminal/command-io.js'
import type { Containment } from '../../src/terminal/containment.js'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { keepOnly } from '../children/only-provider.js'
import { startSession, testWorkspace } from '../support/workspace.js'

/**
 * The contract of every provider of containment, on any system: `npm run test:contract`. It uses only what each system
 * has. The attacks on the providers of Linux are in test/terminal.
 */

const attempts = await Promise.all(
  CONTAINMENTS.map(async (containment) => ({ containment, attempt: await containment.attempt() })),
)
const usable = attempts.filter(({ attempt }) => attempt.works).map(({ containment }) => containment)

it('a provider of this machine can be tested', () => {
  const lines = attempts.map(({ containment, attempt }) => {
    const name = nameOfContainment(containment)
    return attempt.works
      ? `${name}: tried here`
      : `${name}: could not be tried: ${attempt.failure.problem} ${attempt.failure.fix}`
  })
  process.stdout.write(`Contract of providers on ${process.platform}:\n${lines.join('\n') || 'There is none.'}\n`)
  expect(usable.length, lines.join('\n')).toBeGreaterThan(0)
})

/** A directory in the person's home, because commands have their own temporary directories. */
function scene() {
  const base = realpathSync.native(mkdtempSync(`${homedir()}/.escrow-contract-`))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  for (const dir of ['outside', 'workspace', 'workspace/.orchestration']) mkdirSync(`${base}/${dir}`)
  writeFileSync(`${base}/outside/file`, 'a person wrote this\n')
  writeFileSync(`${base}/outside/closed`, 'a closed word\n')
  return { root: `${base}/workspace`, outside: `${base}/outside` }
}

async function run(containment: Containment, at: ReturnType<typeof scene>, script: string): Promise<CommandEnd> {
  const place = await containment.open({ root: at.root })
  try {
    return await place.run({
      args: ['/bin/sh', '-c', script],
      cwd: at.root,
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      network: false,
      timeout: 60_000,
      processes: 64,
      visibility: { hidden: [{ path: `${at.outside}/closed`, isDirectory: false }], shown: [] },
      readOnlyNames: [],
    })
  } finally {
    await place.close()
  }
}

const runningLines = () => spawnSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).stdout.split('\n')

describe.each(usable)('$name', (containment) => {
  let restore: () => void = () => undefined
  beforeAll(() => {
    restore = keepOnly(containment.name)
  })
  afterAll(() => restore())

  it('keeps a command from files outside its view', async () => {
    const at = scene()
    const tries = `echo out > "${at.outside}/file"; echo out > "${at.outside}/new"; mv "${at.outside}" "${at.outside}2"; echo ran`
    expect((await run(containment, at, tries)).stdout).toBe('ran\n')
    expect(readFileSync(`${at.outside}/file`, 'utf8')).toBe('a person wrote this\n')
    expect(spawnSync('ls', [at.outside], { encoding: 'utf8' }).stdout).toBe('closed\nfile\n')
  })

  it('keeps a closed file from a command, and shows the files next to it', async () => {
    const at = scene()
    const { stdout } = await run(
      containment,
      at,
      `cat "${at.outside}/closed"; cd "${at.outside}"; cat closed; cat file`,
    )
    expect(stdout).toBe('a person wrote this\n')
  })

  it('gives no network to a command', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.end()
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const perl = `perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(PeerAddr => "127.0.0.1:${port}", Timeout => 5) ? "reached" : "no"'`
    // The same line connects from outside, so the provider is what refuses.
    const plain = spawn('/bin/sh', ['-c', perl], { stdio: ['ignore', 'pipe', 'inherit'] })
    const output: string[] = []
    plain.stdout.on('data', (chunk) => output.push(String(chunk)))
    await new Promise((resolve) => plain.once('close', resolve))
    expect([output.join(''), connections]).toEqual(['reached', 1])
    expect([(await run(containment, scene(), perl)).stdout, connections]).toEqual(['no', 1])
  })

  it('ends what a command has started, and lets it end no other process', async () => {
    const victim = spawn('sleep', ['613.5'], { stdio: 'ignore' })
    onTestFinished(() => void victim.kill('SIGKILL'))
    const left = `617.${process.pid}`
    const { stdout } = await run(
      containment,
      scene(),
      `kill -9 ${victim.pid}; sleep ${left} > /dev/null 2>&1 & echo started`,
    )
    expect(stdout).toBe('started\n')
    expect(runningLines().filter((line) => line.includes(`sleep ${left}`))).toEqual([])
    expect(runningLines().filter((line) => line.includes('sleep 613.5'))).not.toEqual([])
  })

  it('stages what a command changes, and nothing reaches the disk', async () => {
    const policy = `terminal: { require: [${containment.keeps.join(', ')}] }\n`
    const project = testWorkspace({ 'src/a': 'a\n', 'src/gone': 'x\n', '.orchestration/policy.yaml': policy })
    const session = await startSession(await project.open())
    const ran = await session.exec('cat src/a; echo new > src/made; echo more >> src/a; rm src/gone; ln -s a src/l')
    expect([ran.exitCode, ran.stdout, ran.isolation, ran.containment]).toEqual([0, 'a\n', 'sandbox', containment.name])
    expect(ran.effects.changes.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
      'create src/made',
      'delete src/gone',
      'link src/l',
      'modify src/a',
    ])
    expect([project.text('src/a'), project.text('src/gone')]).toEqual(['a\n', 'x\n'])
    expect((await session.exec('cat src/a src/l')).stdout).toBe('a\nmore\na\nmore\n')
  })
})
