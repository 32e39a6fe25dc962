import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { readersHome } from '../../docs/reader.js'
import {
  createHonestPullRequest,
  type Repository,
  removeTemplates,
  repository,
  withLastVerdict,
} from '../../pull-request/repository.js'

const FOLDER = fileURLToPath(new URL('../../../examples/github-action', import.meta.url))

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly with?: Record<string, unknown>
  readonly shell?: string
  readonly if?: string
  readonly env?: Record<string, string>
  readonly run?: string
}

interface Action {
  readonly inputs: Record<string, { description: string; default?: string }>
  readonly runs: { using: string; steps: Step[] }
}

interface Workflow {
  readonly on: string
  readonly permissions: object
  readonly jobs: Record<string, { steps: Step[] }>
}

const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const action: Action = parse(read('action.yml'))
const workflow: Workflow = parse(read('workflow.yml'))

let home = ''
beforeAll(() => {
  home = readersHome()
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await removeTemplates()
})

/** Puts in the values of expressions: inputs, the token, and the event. */
function evaluate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`The test has no value for ${name}.`)
    return value
  })
}

/** Runs the action's steps as a runner does: each in a separate bash, in the checkout; after a failure only those with `always()`. */
function runAction(pr: Repository, given: Readonly<Record<string, string>> = {}) {
  const temp = mkdtempSync(join(tmpdir(), 'escrowfs-runner-'))
  onTestFinished(() => rmSync(temp, { recursive: true, force: true }))
  const [base, head] = [pr.git('rev-parse', 'main').trim(), pr.git('rev-parse', 'HEAD').trim()]
  const event = join(temp, 'event.json')
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7, base: { sha: base }, head: { sha: head } } }))
  const inputs = Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, given[name] ?? input.default])
  const values = { ...Object.fromEntries(inputs), 'github.token': 't', 'github.event.pull_request.number': '7' }
  const env = {
    ...process.env,
    PATH: `${installPrograms(temp)}:${process.env.PATH}`,
    ...{ RUNNER_TEMP: temp, GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: event },
    ...{ GITHUB_WORKSPACE: pr.root, GITHUB_STEP_SUMMARY: join(temp, 'summary.md') },
  }
  const result = { status: 0, stdout: '', stderr: '' }
  for (const { run = '', env: own = {}, if: condition } of action.runs.steps) {
    if (condition === undefined ? result.status !== 0 : values['inputs.comment'] !== 'true') continue
    const more = Object.entries(own).map(([name, value]) => [name, evaluate(value, values)])
    const script = join(temp, 'step.sh')
    writeFileSync(script, run)
    const done = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      ...{ cwd: pr.root, encoding: 'utf8' },
      env: { ...env, ...Object.fromEntries(more) },
    })
    result.status ||= done.status ?? 1
    result.stdout += done.stdout
    result.stderr += done.stderr
  }
  return { ...result, summary: summaryIn(temp), comment: fileIn(temp, 'commented'), temp }
}

function summaryIn(temp: string): string {
  return fileIn(temp, 'summary.md')
}

function fileIn(temp: string, name: string): string {
  return existsSync(join(temp, name)) ? readFileSync(join(temp, name), 'utf8') : ''
}

/** A fake npm that installs the current source, and a fake gh that writes down its arguments and the comment. */
function installPrograms(temp: string): string {
  const bin = join(temp, 'bin')
  mkdirSync(bin)
  const program = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  program('npm', `ln -sfn '${home}/node_modules' node_modules`)
  program('gh', `echo "$@" > '${temp}/commented'; for file; do :; done; cat "$file" >> '${temp}/commented'`)
  return bin
}

describe('action.yml', () => {
  it('is a composite action whose scripts get values only through variables', () => {
    expect(action.runs.using).toBe('composite')
    for (const { run, shell } of action.runs.steps) {
      expect(shell).toBe('bash')
      expect(run).not.toContain('${{')
    }
    const used = [...read('action.yml').matchAll(/inputs\.([\w-]+)/g)].map((match) => match[1])
    expect([...new Set(used)].sort()).toEqual(Object.keys(action.inputs).sort())
  })

  it('passes an honest pull request, with a summary', async () => {
    const { status, stderr, summary } = runAction(await createHonestPullRequest(), { 'require-trailers': 'true' })
    expect([status, stderr]).toEqual([0, ''])
    expect(summary).toContain('**Every line of an agent is approved.**')
    expect(summary).toContain('| src/a.ts | 3 | 2 | m-1 | INT-001 | Ada |')
  })

  it('fails with a message if the ledger was cut', async () => {
    const pr = await createHonestPullRequest()
    pr.writeLedger(pr.ledger().slice(0, -1))
    pr.commit()
    const { status, summary } = runAction(pr)
    expect(status).toBe(1)
    expect(summary).toContain('**This pull request does not pass.**')
  })

  it('fails if nothing could be checked', async () => {
    const pr = await repository()
    for (const given of [{ base: '0'.repeat(40) }, { base: '$(touch evil)' }, { keys: 'no-keys' }])
      expect(runAction(pr, given).status).toBe(2)
    expect(existsSync(join(pr.root, 'evil'))).toBe(false)
  })

  it('annotates the lines that nobody approved, and keeps a comment, also after a failure', async () => {
    const pr = await repository()
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'one\nagent 2\nagent 3\n'), 'none')
    pr.writeLedger(withLastVerdict(pr.ledger(), { verdict: 'rejected' }))
    pr.commit()
    const { status, stdout, comment, temp } = runAction(pr, { comment: 'true', badge: '../badge.svg' })
    expect(status).toBe(1)
    expect(stdout).toContain('::error file=src/a.ts,line=2,endLine=3,title=Not approved::An agent wrote this')
    expect(comment).toMatch(/^pr comment 7 --edit-last --create-if-none --body-file /)
    expect(comment).toContain('an agent wrote lines 2-3')
    expect(readFileSync(join(pr.root, '../badge.svg'), 'utf8')).toContain('2 unapproved')
    rmSync(join(pr.root, '../badge.svg'))
    expect(summaryIn(temp)).toContain('## Agents’ work')
  })

  it('prints names of a pull request as text', async () => {
    const pr = await repository()
    await pr.agent(({ fs }) => fs.writeFileSync('src/<img>|[a](b)`.ts', 'x\n'))
    const { summary } = runAction(pr)
    expect(summary).toContain('src/&lt;img&gt;\\|\\[a\\]\\(b\\)\\`.ts')
  })
})

describe('workflow.yml', () => {
  const [checkout, , check] = Object.values(workflow.jobs)[0]?.steps ?? []

  it('gives the action the permissions that it needs, and no others', () => {
    expect(workflow.permissions).toEqual({ contents: 'read', 'pull-requests': 'write' })
    expect(workflow.on).toBe('pull_request')
    expect(checkout?.with).toMatchObject({ 'fetch-depth': 0, 'persist-credentials': false })
    expect(Object.keys(check?.with ?? {}).filter((name) => !(name in action.inputs))).toEqual([])
    expect(check?.uses).not.toMatch(/^\.\//)
  })
})
