import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/hub/index.js'
import { changeRows } from '../hub/machine-ledgers.js'
import { testWorkspace, working } from '../support/workspace.js'
import { runEscrow, startEscrow } from './real.js'

/** The operator of a hub, with a state directory that is no machine's, and a hub that has the ledger of `laptop`. */
async function operator() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-hub-')))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const env = Object.assign({}, process.env, { XDG_STATE_HOME: join(place, 'state') })
  const escrow = (cwd: string, ...args: string[]) => runEscrow(cwd, args, { env })
  const hub = (...args: string[]) => escrow(place, 'hub', '--dir', 'hub', ...args)
  const token = hub('token', 'add', 'laptop', '--role', 'host').stdout
  const { child, url } = await startEscrow(place, 'hub', '--dir', 'hub')
  const { root, open, text } = testWorkspace()
  for (const id of ['agent-1', 'agent-2', 'agent-3']) await working(await open(), id)
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

it('exports a ledger as the machine has it, which `escrow verify` checks, publishes it, and shows a changed byte', async () => {
  const { place, escrow, hub, synced, verify, ledger } = await operator()
  const count = ledger.split('\n').length - 1
  expect(synced).toMatchObject({ status: 0, stdout: `sent  ${count} lines of the ledger\n`, stderr: '' })
  expect(hub('ledger', 'export', 'laptop')).toMatchObject({ status: 0, stdout: ledger, stderr: '' })
  const [machine, lines, , head = ''] = hub('ledger', 'list').stdout.trim().split(/ {2,}/)
  expect([machine, lines]).toEqual(['laptop', `${count} lines`])
  const heads = join(place, 'heads')
  writeFileSync(heads, `${head}\n`)
  expect(verify(ledger, '--heads', heads)).toMatchObject({ status: 0 })
  expect(verify(ledger.replace('agent-2', 'agent-9')).status).not.toBe(0)
  expect(verify(ledger.replace('agent-3', 'agent-9'), '--heads', heads).status).not.toBe(0)

  expect(escrow(place, 'keys').status).toBe(0)
  const published = hub('ledger', 'publish', 'laptop', 'log', '--origin', 'example.org/laptop')
  expect(published).toMatchObject({ status: 0, stderr: '' })
  const key = /The log's key: (.*)\n/.exec(published.stdout)?.[1] ?? ''
  writeFileSync(join(place, 'proof'), escrow(place, 'ledger', 'prove', 'log', '2').stdout)
  expect(escrow(place, 'ledger', 'verify-proof', 'proof', '--log-key', key)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(ledger.split('\n')[1] ?? ''),
  })

  await openDatabase({ directory: join(place, 'hub') }, (database) =>
    changeRows(database, `update escrow.ledgers set line = replace(line, 'agent-2', 'agent-9')`),
  )
  for (const args of [
    ['export', 'laptop'],
    ['publish', 'laptop', 'log'],
  ])
    expect(hub('ledger', ...args)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the database was changed'),
    })
})
