import fs from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openShell, readersHome } from '../docs/reader.js'

/** The first steps of a new user in an empty directory. Each runs in a separate process, without fakes. */

let home = ''
beforeAll(() => {
  home = readersHome()
  fs.mkdirSync(`${home}/empty`)
  fs.writeFileSync(`${home}/.gitconfig`, '[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n')
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

const AGENT = `
import { denialOf, openWorkspace } from 'escrowfs'
const workspace = await openWorkspace('.')
const { fs } = await workspace.session({ id: 'agent-1', agent: { model: 'some-model' } })
const tried = (path) => {
  try {
    fs.writeFileSync(path, 'hello\\n')
  } catch (error) {
    return denialOf(error).reason
  }
}
console.log(tried("src/early.txt"))
const session = await workspace.session({ id: 'agent-1' })
await session.selectIntent('INT-001')
fs.mkdirSync('src', { recursive: true })
console.log(tried('src/hello.txt'), tried('elsewhere.txt'))
await workspace.close()
`

it('the first steps lead from an empty directory to a verified ledger', () => {
  const type = openShell(home, { HOME: home, XDG_CONFIG_HOME: '' })
  const step = (command: string): string => {
    const { status, stdout, stderr } = type(command)
    expect([command, stderr, status]).toEqual([command, '', 0])
    return stdout
  }
  const onDisk = () => fs.readdirSync(`${home}/empty`).sort()

  step('cd empty')
  const early = type('escrow status')
  expect([early.status, early.stderr]).toEqual([4, expect.stringContaining("Run 'escrow init'")])
  expect(onDisk()).toEqual([])

  step('escrow init --approval-by any')
  expect(step('escrow init')).toContain('kept     .orchestration/active_intents.yaml')
  expect(step('escrow status')).toContain('No sessions.')
  step("escrow intents add 'A greeting' --scope 'src/**'")
  expect(step('escrow status')).toContain('INT-001  PENDING  A greeting')

  fs.writeFileSync(`${home}/agent.mjs`, AGENT)
  expect(step('node ../agent.mjs')).toBe('missing_intent_id\nundefined scope_violation\n')
  expect(onDisk()).toEqual(['.orchestration'])

  expect(step('escrow diff agent-1')).toContain('+++ b/src/hello.txt\n@@ -0,0 +1,1 @@ 0f08\n+hello\n')
  const empty = type('escrow commit agent-1')
  expect([empty.status, empty.stderr]).toEqual([1, expect.stringContaining('Nothing is approved')])
  expect(onDisk()).toEqual(['.orchestration'])
  const typo = type('escrow approve agent-2')
  expect([typo.status, typo.stderr]).toEqual([1, expect.stringContaining('There are: agent-1.')])
  expect(step('escrow approve agent-1')).toContain('approved  src/hello.txt')
  expect(step('escrow commit agent-1')).toContain('committed  src/hello.txt')
  expect(fs.readFileSync(`${home}/empty/src/hello.txt`, 'utf8')).toBe('hello\n')
  expect(step('escrow diff agent-1')).toContain('Nothing is staged')

  const log = step('escrow log --path src/hello.txt').trimEnd().split('\n')
  expect(log.map((line) => line.split(/ {2,}/)[2])).toEqual(['commit', 'approved'])
  expect(step('escrow log --json')).toContain('"Ada Lovelace"')
  expect(step('escrow verify')).toMatch(/^The ledger is intact: (\d+) records, anchored up to number \1\.\n$/)

  const ledger = `${home}/empty/.orchestration/agent_trace.jsonl`
  fs.writeFileSync(ledger, fs.readFileSync(ledger, 'utf8').replace('Ada Lovelace', 'Eve'))
  expect(type('escrow verify').status).toBe(3)
})
