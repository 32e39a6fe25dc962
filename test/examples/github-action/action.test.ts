import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { readersHome } from '../../docs/reader.js'
import { createHonestPullRequest, type Repository, removeTemplates, repository } from '../ci-check/repository.js'

const FOLDER = fileURLToPath(new URL('../../../examples/github-action', import.meta.url))

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly with?: Record<string, unknown>
  readonly shell?: string
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

/** The values that GitHub substitutes for expressions: inputs, and the event's commits. */
function evaluate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`The stand-in knows no ${name}`)
    return value
  })
}

/** Runs the action's steps as a runner does: each in a separate bash, in the checkout, until one fails. */
function runAction(pr: Repository, given: Readonly<Record<string, string>> = {}) {
  const temp = mkdtempSync(join(tmpdir(), 'escrowfs-runner-'))
  onTestFinished(() => rmSync(temp, { recursive: true, force: true }))
  const event = {
    'github.event.pull_request.base.sha': pr.git('rev-parse', 'main').trim(),
    'github.event.pull_request.head.sha': pr.git('rev-parse', 'HEAD').trim(),
  }
  const inputs = Object.entries(action.inputs).map(([name, { default: standard = '' }]) => {
    return [`inputs.${name}`, given[name] ?? evaluate(standard, event)]
  })
  const env = {
    ...process.env,
    PATH: `${installFakeNpm(temp)}:${process.env.PATH}`,
    RUNNER_TEMP: temp,
    GITHUB_ACTION_PATH: FOLDER,
    GITHUB_WORKSPACE: pr.root,
    GITHUB_STEP_SUMMARY: join(temp, 'summary.md'),
  }
  for (const { run = '', env: own = {} } of action.runs.steps) {
    const more = Object.entries(own).map(([name, value]) => [name, evaluate(value, Object.fromEntries(inputs))])
    const script = join(temp, 'step.sh')
    writeFileSync(script, run)
    const bash = ['--noprofile', '--norc', '-eo', 'pipefail', script]
    const done = spawnSync('bash', bash, {
      cwd: pr.root,
      env: { ...env, ...Object.fromEntries(more) },
      encoding: 'utf8',
    })
    if (done.status !== 0) return { ...done, summary: summaryIn(temp) }
  }
  return { status: 0, stderr: '', summary: summaryIn(temp) }
}

function summaryIn(temp: string): string {
  return existsSync(join(temp, 'summary.md')) ? readFileSync(join(temp, 'summary.md'), 'utf8') : ''
}

/** A fake npm that installs the current source, and records its arguments. */
function installFakeNpm(temp: string): string {
  const bin = join(temp, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh\nmkdir -p node_modules && ln -sfn '${home}/node_modules/escrowfs' node_modules/escrowfs\necho "$@" > asked\n`,
  )
  chmodSync(join(bin, 'npm'), 0o755)
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
    expect(used.sort()).toEqual(Object.keys(action.inputs).sort())
  })

  it('passes an honest pull request, with a summary', async () => {
    const { status, stderr, summary } = runAction(await createHonestPullRequest(), { 'require-trailers': 'true' })
    expect([status, stderr]).toEqual([0, ''])
    expect(summary).toContain('**The ledger holds.**')
    expect(summary).toContain('| src/a.ts | 3 | 2 | m-1 | INT-001 | Ada |')
  })

  it('fails with a message if the ledger was cut', async () => {
    const pr = await createHonestPullRequest()
    pr.writeLedger(pr.ledger().slice(0, -1))
    pr.commit()
    const { status, summary } = runAction(pr)
    expect(status).toBe(1)
    expect(summary).toContain('**The ledger does not hold.**')
  })

  it('fails if nothing could be checked', async () => {
    const pr = await repository()
    for (const given of [{ base: '' }, { base: '0'.repeat(40) }, { base: '$(touch evil)' }, { keys: 'no-keys' }])
      expect(runAction(pr, given).status).toBe(2)
    expect(existsSync(join(pr.root, 'evil'))).toBe(false)
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
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(workflow.on).toBe('pull_request')
    expect(checkout?.with).toMatchObject({ 'fetch-depth': 0, 'persist-credentials': false })
    expect(Object.keys(check?.with ?? {}).filter((name) => !(name in action.inputs))).toEqual([])
    expect(check?.uses).not.toMatch(/^\.\//)
  })
})
