import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/hub/index.js'
import { withStateHome } from '../../src/os/state-dir.js'
import { changeRows } from '../hub/machine-ledgers.js'
import { copyNewHub } from '../hub/new-hub.js'
import { startSession, testWorkspace } from '../support/workspace.js'
import { escrowAt, runEscrow, startEscrow } from './real.js'

/** A state directory of the hub's operator, and a hub that has the ledger of `laptop`. */
async function operator() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-hub-')))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  await copyNewHub(join(place, 'hub'))
  const escrow = (cwd: string, ...args: string[]) => withStateHome(join(place, 'state'), () => escrowAt(cwd, args))
  const hub = (...args: string[]) => escrow(place, 'hub', '--dir', 'hub', ...args)
  const token = (await hub('token', 'add', 'laptop', '--role', 'host')).out
  const { child, url } = await startEscrow(place, 'hub', '--dir', 'hub')
  const { root, open, text } = testWorkspace()
  for (const id of ['agent-1', 'agent-2', 'agent-3']) await startSession(await open(), id)
  expect(runEscrow(root, ['remote', 'add', url], { input: token })).toMatchObject({ status: 0 })
  const synced = runEscrow(root, ['remote', 'sync'])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  /** Runs `escrow verify` on a ledger in an empty directory. */
  const verify = (ledger: string, ...args: string[]) => {
    const dir = mkdtempSync(join(place, 'verified-'))
    mkdirSync(join(dir, '.orchestration'))
    writeFileSync(join(dir, '.orchestration/agent_trace.jsonl'), ledger)
    return escrow(dir, 'verify', ...args)
  }
  return { place, escrow, hub, synced, verify, ledger: text('.orchestration/agent_trace.jsonl') }
}

it('a ledger is exported byte for byte, checked by `escrow verify`, published, and reported if a byte changed', async () => {
  const { place, escrow, hub, synced, verify, ledger } = await operator()
  const count = ledger.split('\n').length - 1
  expect(synced).toMatchObject({ status: 0, stdout: `sent  ${count} lines of the ledger\n`, stderr: '' })
  expect(await hub('ledger', 'export', 'laptop')).toEqual({ code: 0, out: ledger, err: '' })
  const [machine, lines, , head = ''] = (await hub('ledger', 'list')).out.trim().split(/ {2,}/)
  expect([machine, lines]).toEqual(['laptop', `${count} lines`])
  const heads = join(place, 'heads')
  writeFileSync(heads, `${head}\n`)
  expect(await verify(ledger, '--heads', heads)).toMatchObject({ code: 0 })
  expect((await verify(ledger.replace('agent-2', 'agent-9'))).code).not.toBe(0)
  expect((await verify(ledger.replace('agent-3', 'agent-9'), '--heads', heads)).code).not.toBe(0)

  expect((await escrow(place, 'keys')).code).toBe(0)
  const published = await hub('ledger', 'publish', 'laptop', 'log', '--origin', 'example.org/laptop')
  expect(published).toMatchObject({ code: 0, err: '' })
  const key = /The log's key: (.*)\n/.exec(published.out)?.[1] ?? ''
  writeFileSync(join(place, 'proof'), (await escrow(place, 'ledger', 'prove', 'log', '2')).out)
  expect(await escrow(place, 'ledger', 'verify-proof', 'proof', '--log-key', key)).toMatchObject({
    code: 0,
    out: expect.stringContaining(ledger.split('\n')[1] ?? ''),
  })

  await openDatabase({ directory: join(place, 'hub') }, (database) =>
    changeRows(database, `update escrow.ledgers set line = replace(line, 'agent-2', 'agent-9')`),
  )
  for (const args of [
    ['export', 'laptop'],
    ['publish', 'laptop', 'log'],
  ])
    expect(await hub('ledger', ...args)).toMatchObject({
      code: 1,
      err: expect.stringContaining('the database was changed'),
    })
})
