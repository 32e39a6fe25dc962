import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { withStateHome } from '../../src/os/state-dir.js'
import { makeSigningKey } from '../../src/trace/index.js'
import { escrowAt } from '../cli/real.js'
import { commitAll, git, initEmptyRepository, initRepository } from '../support/git.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'
import { attestScene, envelopeIn, KEY_TYPES, opensslVerifies, pemKey, sshKey } from './scene.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const LEDGER = '.orchestration/agent_trace.jsonl'

const CODE = 'export function price(amount) {\n  const tax = amount * 0.19\n  return amount + tax\n}\n'
const POLICY = `commit: { git: true }
approval:
  auto:
    tiers:
      - { name: refactor, paths: ["src/**"], classes: [refactor], max_files: 5, max_lines: 50 }
`
const CHECKED = `active_intents:
  - id: INT-001
    name: Prices
    status: IN_PROGRESS
    owned_scope: ["**"]
    acceptance_criteria: [{ run: echo checked }]
`

/** A repository with a git commit that a rule released, because a check of it passed. */
async function commitReleased() {
  const project = testWorkspace({ 'src/price.js': CODE, '.orchestration/policy.yaml': POLICY }, CHECKED)
  initRepository(project.root)
  const base = git(project.root, 'rev-parse', 'HEAD').trim()
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/price.js', CODE.replaceAll('tax', 'vat'))
  const review = await workspace.review('agent')
  const { commit, evidence } = await review.release()
  expect(commit?.paths).toEqual(['src/price.js'])
  const [check = {}, ...others] = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'check')
  expect([evidence, others]).toEqual([[check.check], []])
  await workspace.close()
  const dir = mkdtempSync(join(tmpdir(), 'escrow-attest-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const head = git(project.root, 'rev-parse', 'HEAD').trim()
  return { dir, base, head, check, escrow: (...argv: string[]) => escrowAt(project.root, argv) }
}

describe('the statement', () => {
  it('names the files, who decided on which hunks, and the head of the ledger', async () => {
    const fixture = await attestScene()
    const { key } = pemKey(fixture.dir, 'ed25519')
    const file = join(fixture.dir, 'commit.json')
    expect(await fixture.escrow('attest', fixture.commit, '--key', key, '--out', file)).toMatchObject({
      code: 0,
      err: '',
    })
    const { envelope, statement } = envelopeIn(file)
    expect(envelope.payloadType).toBe('application/vnd.in-toto+json')
    expect(statement._type).toBe('https://in-toto.io/Statement/v1')
    expect(statement.subject).toEqual([
      { name: 'src/a.ts', digest: { sha256: sha256(fixture.text('src/a.ts')) } },
      { name: 'src/new.ts', digest: { sha256: sha256('new\n') } },
    ])
    const { predicate } = statement
    expect(predicate).toMatchObject({
      ...{ commit: fixture.commit, session: 'agent', intents: ['INT-001'], deleted: ['src/b.ts'], approvedBy: ['Ada'] },
      agent: { tool: 'tester', model: 'm-1' },
      ...{ evidence: [], policy: null, git: { base: null, commits: [] } },
    })
    const verdicts = predicate.verdicts.map(({ verdict, paths, hunks, reviewer }: Record<string, unknown>) => {
      return { verdict, paths, hunks: Array.isArray(hunks), reviewer }
    })
    const reviewer = { name: 'Ada', email: 'ada@example.org' }
    expect(verdicts).toEqual([
      { verdict: 'approved', paths: ['src/a.ts'], hunks: true, reviewer },
      { verdict: 'approved', paths: ['src/b.ts', 'src/new.ts'], hunks: false, reviewer },
    ])
    const lines = fixture.text(LEDGER).trimEnd().split('\n')
    expect(predicate.ledger.head).toEqual({ seq: lines.length, line: lines.length, hash: sha256(lines.at(-1) ?? '') })
    const [record] = predicate.ledger.records
    expect(sha256(lines[record.seq - 1] ?? '')).toBe(record.hash)
    const change = predicate.changes.find(({ path }: { path: string }) => path === 'src/a.ts')
    expect(change.ranges).toMatchObject([
      { start: 2, end: 2, digest: `sha256:${sha256('changed')}`, contributor: 'ai' },
    ])
  })

  it('names the decisions on changes that a hub landed before this machine committed them, and no others', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    session.fs.writeFileSync('src/a.ts', 'one\n')
    const review = await workspace.review('agent')
    await review.changes()
    await review.approve(undefined, { name: 'Ada' })
    const land = (commit: string) => review.recordLanded(['src/a.ts'], { branch: 'main', commit: commit.repeat(40) })
    expect(await land('1')).toEqual(['src/a.ts'])
    const { id: first } = await review.commit()
    const write = async (text: string, name: string) => {
      session.fs.writeFileSync('src/a.ts', text)
      await review.changes()
      await review.approve(undefined, { name })
    }
    await write('two\n', 'Bo')
    await land('2')
    await write('three\n', 'Cy')
    const { id: last } = await review.commit()
    await workspace.close()
    const dir = mkdtempSync(join(tmpdir(), 'escrow-attest-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const { key } = pemKey(dir, 'ed25519')
    const reviewers = async (commit: string) => {
      const file = join(dir, `${commit}.json`)
      await escrowAt(project.root, ['attest', commit, '--key', key, '--out', file])
      const { verdicts } = envelopeIn(file).statement.predicate
      return verdicts.map(({ reviewer }: { reviewer: { name: string } }) => reviewer.name)
    }
    expect(await reviewers(first)).toEqual(['Ada'])
    expect(await reviewers(last)).toEqual(['Cy'])
  })

  it('names the checks that it relies on, the policy and the git commits, and agrees with the ledger', async () => {
    const at = await commitReleased()
    const { key, pub } = pemKey(at.dir, 'ed25519')
    const file = join(at.dir, 'commit.json')
    expect(await at.escrow('attest', '--key', key, '--out', file)).toMatchObject({ code: 0, err: '' })
    const { predicate } = envelopeIn(file).statement
    const { check: id, tree } = at.check
    const output = `sha256:${sha256('checked\n')}`
    expect(predicate.evidence).toEqual([
      { id, command: 'echo checked', exitCode: 0, output, tree, isolation: 'sandbox' },
    ])
    const rule = { tier: 'refactor', policy: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }
    expect(predicate).toMatchObject({ approvedBy: ['policy: refactor'], verdicts: [{ verdict: 'approved', rule }] })
    expect(predicate.policy).toBe(`sha256:${sha256(POLICY)}`)
    expect(predicate.git).toEqual({ base: at.base, commits: [at.head] })
    const check = (...more: string[]) =>
      at.escrow('verify', '--attestation', file, '--key', pub, '--revision', 'HEAD', '--json', ...more)
    const { code, out } = await check()
    expect([code, JSON.parse(out)]).toMatchObject([0, { ok: true, ledger: 'consistent', problems: [] }])
  })

  it('is about the newest commit by default, and is written to a directory as one file for each commit', async () => {
    const fixture = await attestScene()
    const { key } = pemKey(fixture.dir, 'ed25519')
    const newest = await fixture.escrow('attest', '--key', key)
    expect(JSON.parse(Buffer.from(JSON.parse(newest.out).payload, 'base64').toString()).predicate.commit).toBe(
      fixture.commit,
    )
    await fixture.escrow('attest', '--all', '--key', key, '--out', fixture.dir)
    expect(readdirSync(fixture.dir)).toContain(`${fixture.commit}.intoto.json`)
    expect(await fixture.escrow('attest', '1', '--key', key)).toMatchObject({ code: 0 })
    expect(await fixture.escrow('attest', '99', '--key', key)).toMatchObject({ code: 1, out: '' })
  })

  it('is signed with the key of escrow keys by default; without one, the error names that command', async () => {
    const home = mkdtempSync(join(tmpdir(), 'escrow-attest-home-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    await withStateHome(home, async () => {
      const fixture = await attestScene()
      expect(await fixture.escrow('attest')).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('escrow keys'),
      })
      const { fingerprint } = makeSigningKey()
      const { out } = await fixture.escrow('attest')
      expect(JSON.parse(out).signatures[0].keyid).toBe(fingerprint)
    })
  })

  it('is refused on a damaged ledger, and on records that this machine does not know', async () => {
    const fixture = await attestScene()
    const { key } = pemKey(fixture.dir, 'ed25519')
    const text = fixture.text(LEDGER)
    writeFileSync(join(fixture.root, LEDGER), text.replace('"Ada"', '"Eve"'))
    expect(await fixture.escrow('attest', '--key', key)).toMatchObject({ code: 1, out: '' })
    writeFileSync(join(fixture.root, LEDGER), text)
    expect(await fixture.escrow('attest', '--key', key)).toMatchObject({ code: 0 })
    const otherMachine = await withStateHome(join(fixture.dir, 'other'), () => fixture.escrow('attest', '--key', key))
    expect(otherMachine).toMatchObject({ code: 1, out: '', err: expect.stringContaining('verify --join') })
  })
})

describe('signatures', () => {
  it.each(KEY_TYPES)('of a PEM key of openssl (%s) are what openssl accepts', async (type) => {
    const fixture = await attestScene()
    const { key, pub } = pemKey(fixture.dir, type)
    const file = join(fixture.dir, 'a.json')
    await fixture.escrow('attest', '--key', key, '--out', file)
    const { message, signatures } = envelopeIn(file)
    const [signature = Buffer.alloc(0)] = signatures
    expect(opensslVerifies(fixture.dir, pub, message, signature, type === 'ed25519')).toBe(true)
    expect(
      opensslVerifies(fixture.dir, pub, Buffer.concat([message, Buffer.from(' ')]), signature, type === 'ed25519'),
    ).toBe(false)
    expect(await fixture.escrow('verify', '--attestation', file, '--key', pub)).toMatchObject({ code: 0, err: '' })
  })

  it.each(KEY_TYPES)('of an OpenSSH key (%s) are accepted, whether its file or ssh-agent made them', async (type) => {
    const fixture = await attestScene()
    const key = sshKey(fixture.dir, type)
    startAgent(fixture.dir, key)
    for (const used of [key, `${key}.pub`]) {
      // Then only the agent has it.
      if (used !== key) rmSync(key)
      const file = join(fixture.dir, 'a.json')
      expect(await fixture.escrow('attest', '--key', used, '--out', file)).toMatchObject({ code: 0, err: '' })
      const pem = join(fixture.dir, 'pub.pem')
      if (type !== 'ed25519') {
        writeFileSync(pem, execFileSync('ssh-keygen', ['-e', '-m', 'PKCS8', '-f', `${key}.pub`]))
        const { message, signatures } = envelopeIn(file)
        expect(opensslVerifies(fixture.dir, pem, message, signatures[0] ?? Buffer.alloc(0), false)).toBe(true)
      }
      expect(await fixture.escrow('verify', '--attestation', file, '--key', `${key}.pub`)).toMatchObject({ code: 0 })
    }
  })

  it('of a key with a passphrase need ssh-agent, and the agent must have the key', async () => {
    const fixture = await attestScene()
    const key = sshKey(fixture.dir, 'ed25519', 'secret')
    expect(await fixture.escrow('attest', '--key', key)).toMatchObject({
      code: 1,
      err: expect.stringContaining('ssh-add'),
    })
    startAgent(fixture.dir)
    expect(await fixture.escrow('attest', '--key', `${key}.pub`)).toMatchObject({
      ...{ code: 1, out: '', err: expect.stringContaining('ssh-agent did not sign') },
    })
  })

  it.each([
    ['plain text', 'hello\n'],
    ['an empty file', ''],
    [
      'a cut key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END OPENSSH PRIVATE KEY-----\n',
    ],
    ['a cut public key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\n'],
    ['another type', 'ssh-dss AAAAB3NzaC1kc3MAAACB\n'],
  ])('are refused with %s instead of a key', async (_, content) => {
    const fixture = await attestScene()
    const file = join(fixture.dir, 'key')
    writeFileSync(file, content)
    const { code, out, err } = await fixture.escrow('attest', '--key', file)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('cannot be used')
  })
})

/** Starts an ssh-agent for this test, with one key. */
function startAgent(dir: string, key?: string): void {
  const socket = join(dir, 'agent.sock')
  const started = spawnSync('ssh-agent', ['-a', socket, '-s'], { encoding: 'utf8' })
  const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(started.stdout)?.[1])
  vi.stubEnv('SSH_AUTH_SOCK', socket)
  onTestFinished(() => {
    process.kill(pid)
    vi.unstubAllEnvs()
  })
  if (key !== undefined) execFileSync('ssh-add', ['-q', key], { stdio: 'ignore' })
}

describe('the check', () => {
  it('by a key that nobody trusts is never ok', async () => {
    const fixture = await attestScene()
    const [mine, other] = [pemKey(fixture.dir, 'ed25519'), pemKey(fixture.dir, 'ecdsa')]
    const file = join(fixture.dir, 'a.json')
    await fixture.escrow('attest', '--key', mine.key, '--out', file)
    for (const trusted of [['--key', other.pub], []]) {
      const { code, out } = await fixture.escrow('verify', '--attestation', file, ...trusted, '--json')
      expect(code).toBe(1)
      expect(JSON.parse(out)).toMatchObject({ ok: false, problems: [{ check: 'signature' }], signedBy: [] })
      expect(JSON.parse(out).predicate).toBeUndefined()
    }
  })

  it('lists files that differ, are missing or exist although deleted', async () => {
    const fixture = await attestScene()
    const { key, pub } = pemKey(fixture.dir, 'ed25519')
    const file = join(fixture.dir, 'a.json')
    await fixture.escrow('attest', '--key', key, '--out', file)
    appendFileSync(join(fixture.root, 'src/a.ts'), 'more\n')
    execFileSync('rm', [join(fixture.root, 'src/new.ts')])
    writeFileSync(join(fixture.root, 'src/b.ts'), 'b\n')
    const { code, out } = await fixture.escrow('verify', '--attestation', file, '--key', pub, '--json')
    expect(code).toBe(1)
    const { problems, ledger } = JSON.parse(out)
    expect(problems.map(({ check, path }: { check: string; path: string }) => [check, path])).toEqual([
      ['subject', 'src/a.ts'],
      ['subject', 'src/new.ts'],
      ['subject', 'src/b.ts'],
    ])
    expect(ledger).toBe('consistent')
  })

  it('compares the files of a git commit', async () => {
    const fixture = await attestScene()
    initEmptyRepository(fixture.root)
    git(fixture.root, 'commit', '-q', '--allow-empty', '-m', 'before')
    commitAll(fixture.root)
    const { key, pub } = pemKey(fixture.dir, 'ed25519')
    const file = join(fixture.dir, 'a.json')
    await fixture.escrow('attest', '--key', key, '--out', file)
    appendFileSync(join(fixture.root, 'src/a.ts'), 'more\n')
    const check = (...more: string[]) => fixture.escrow('verify', '--attestation', file, '--key', pub, ...more)
    expect(await check()).toMatchObject({ code: 1 })
    expect(await check('--revision', 'HEAD')).toMatchObject({ code: 0, err: '' })
    expect(await check('--revision', 'HEAD~1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('src/a.ts is missing'),
    })
    expect(await check('--revision', '--output=x')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no commit'),
    })
  })

  it('lists records that are missing in the ledger, and exits as for a damaged one', async () => {
    const fixture = await attestScene()
    const { key, pub } = pemKey(fixture.dir, 'ed25519')
    const file = join(fixture.dir, 'a.json')
    await fixture.escrow('attest', '--key', key, '--out', file)
    const whole = fixture.text(LEDGER)
    const cut = whole.trimEnd().split('\n').slice(0, 3)
    writeFileSync(join(fixture.root, LEDGER), `${cut.join('\n')}\n`)
    const short = await fixture.escrow('verify', '--attestation', file, '--key', pub, '--json')
    expect(short.code).toBe(3)
    expect(JSON.parse(short.out).problems).toMatchObject([{ check: 'ledger' }])
    writeFileSync(join(fixture.root, LEDGER), whole)
    expect(await fixture.escrow('verify', '--attestation', file, '--key', pub)).toMatchObject({ code: 0 })
  })

  it('needs as many signers as the threshold, including the named one', async () => {
    const fixture = await attestScene()
    const [one, two] = [sshKey(fixture.dir, 'ed25519'), sshKey(fixture.dir, 'ecdsa')]
    const file = join(fixture.dir, 'a.json')
    const signers = join(fixture.dir, 'allowed_signers')
    await fixture.escrow('attest', '--key', one, '--key', two, '--out', file)
    const check = (...more: string[]) =>
      fixture.escrow('verify', '--attestation', file, '--allowed-signers', signers, ...more)
    const pub = (key: string) => readFileSync(`${key}.pub`, 'utf8').trim()
    writeFileSync(signers, `ada@example.org ${pub(one)}\ngrace@example.org ${pub(two)}\n`)
    expect(await check('--threshold', '2')).toMatchObject({ code: 0 })
    expect(await check('--threshold', '3')).toMatchObject({ code: 1 })
    expect(await check('--signer', 'ada@example.org')).toMatchObject({ code: 0 })
    expect(await check('--signer', 'eve@example.org')).toMatchObject({ code: 1, err: expect.stringContaining('eve') })
    writeFileSync(signers, `ada@example.org ${pub(one)}\nada@example.org ${pub(two)}\n`)
    expect(await check('--threshold', '2')).toMatchObject({ code: 1, err: expect.stringContaining('2 signers') })
    expect(await check('--threshold', '0')).toMatchObject({ code: 2 })
  })
})
