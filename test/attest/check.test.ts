import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sealStatement } from '../../src/attest/dsse.js'
import { openSigner } from '../../src/attest/signer.js'
import type { Predicate } from '../../src/attest/statement.js'
import { statementOf } from '../../src/attest/statement.js'
import { git } from '../support/git.js'
import { type AttestScene, attestScene, envelopeIn, pemKey } from './scene.js'

/** Attestations that a trusted signer, or anybody on the way, made wrong. */

async function setUpAttestation(): Promise<AttestScene & { key: string; pub: string; file: string }> {
  const fixture = await attestScene()
  const keys = pemKey(fixture.dir, 'ed25519')
  const file = join(fixture.dir, 'a.json')
  await fixture.escrow('attest', '--key', keys.key, '--out', file)
  return { ...fixture, ...keys, file }
}

async function check(fixture: Awaited<ReturnType<typeof setUpAttestation>>, ...more: string[]) {
  const { code, out, err } = await fixture.escrow(
    'verify',
    '--attestation',
    fixture.file,
    '--key',
    fixture.pub,
    '--json',
    ...more,
  )
  return { code, err, report: out === '' ? undefined : JSON.parse(out) }
}

/** Signs a changed statement by the trusted key. */
async function resign(
  fixture: Awaited<ReturnType<typeof setUpAttestation>>,
  change: (statement: Record<string, unknown>) => unknown,
) {
  const { statement } = envelopeIn(fixture.file)
  writeFileSync(fixture.file, JSON.stringify(await sealStatement(change(statement), [openSigner(fixture.key)])))
}

const withPredicate =
  (change: (predicate: Predicate) => Partial<Predicate>) => (statement: Record<string, unknown>) => {
    const predicate = statement.predicate as Predicate
    return statementOf({ ...predicate, ...change(predicate) })
  }

describe('an envelope that was changed', () => {
  it.each<[string, (envelope: ReturnType<typeof envelopeIn>['envelope']) => unknown]>([
    ['another payload type', (envelope) => ({ ...envelope, payloadType: 'text/plain' })],
    ['another payload', (envelope) => ({ ...envelope, payload: Buffer.from('{}').toString('base64') })],
    [
      'a longer payload',
      (envelope) => {
        const payload = Buffer.concat([Buffer.from(envelope.payload, 'base64'), Buffer.from(' ')])
        return { ...envelope, payload: payload.toString('base64') }
      },
    ],
    ['a signature of nothing', (envelope) => ({ ...envelope, signatures: [{ sig: '' }] })],
    [
      'the right key id and a wrong signature',
      (envelope) => {
        return {
          ...envelope,
          signatures: [{ keyid: envelope.signatures[0].keyid, sig: Buffer.alloc(64).toString('base64') }],
        }
      },
    ],
  ])('by %s is not signed', async (_, change) => {
    const fixture = await setUpAttestation()
    writeFileSync(fixture.file, JSON.stringify(change(JSON.parse(readFileSync(fixture.file, 'utf8')))))
    expect(await check(fixture)).toMatchObject({ code: 1, report: { ok: false, problems: [{ check: 'signature' }] } })
  })

  it.each(['', '{}', '[]', 'null', '{"payload":"e30=","payloadType":"x","signatures":[]}'])(
    'to %o is refused, because it is not an envelope',
    async (text) => {
      const fixture = await setUpAttestation()
      writeFileSync(fixture.file, text)
      expect(await check(fixture)).toMatchObject({ code: 1, report: undefined, err: expect.stringContaining('DSSE') })
    },
  )

  it('in its key id alone is accepted, because the id is not signed', async () => {
    const fixture = await setUpAttestation()
    const envelope = JSON.parse(readFileSync(fixture.file, 'utf8'))
    writeFileSync(
      fixture.file,
      JSON.stringify({ ...envelope, signatures: [{ keyid: 'none', sig: envelope.signatures[0].sig }] }),
    )
    expect(await check(fixture)).toMatchObject({ code: 0 })
  })

  it('by a second copy of its signature still counts one signer', async () => {
    const fixture = await setUpAttestation()
    const envelope = JSON.parse(readFileSync(fixture.file, 'utf8'))
    const [signature] = envelope.signatures
    writeFileSync(fixture.file, JSON.stringify({ ...envelope, signatures: [signature, signature] }))
    expect(await check(fixture, '--key', fixture.pub, '--threshold', '2')).toMatchObject({ code: 1 })
  })
})

describe('a statement that a trusted key signed', () => {
  it.each<[string, (predicate: Predicate) => Partial<Predicate>]>([
    [
      'another reviewer',
      ({ verdicts }) => ({ verdicts: verdicts.map((each) => ({ ...each, reviewer: { name: 'Eve' } })) }),
    ],
    ['no verdicts', () => ({ verdicts: [] })],
    ['another intent', () => ({ intents: ['INT-002'] })],
    ['evidence that did not exist', () => ({ evidence: [{ id: 'x', command: 'npm test', exitCode: 0 }] })],
    ['an undo of another commit', () => ({ undoes: ['1-x'] })],
    ['another agent', () => ({ agent: { tool: 'other' } })],
    ['fewer files', ({ changes }) => ({ changes: changes.slice(0, 1) })],
  ])('about %s differs from the ledger', async (_, change) => {
    const fixture = await setUpAttestation()
    await resign(fixture, withPredicate(change))
    expect(await check(fixture)).toMatchObject({
      code: 1,
      report: { ok: false, ledger: 'differs', problems: [{ check: 'ledger' }] },
    })
  })

  it('about another ledger, a missing record or another line is reported', async () => {
    for (const [change, code] of [
      [({ ledger }: Predicate) => ({ ledger: { ...ledger, id: 'other' } }), 1],
      [({ ledger }: Predicate) => ({ ledger: { ...ledger, head: { ...ledger.head, hash: '0'.repeat(64) } } }), 3],
      [({ ledger }: Predicate) => ({ ledger: { ...ledger, head: { ...ledger.head, line: 1 } } }), 3],
      [({ ledger }: Predicate) => ({ ledger: { ...ledger, records: [{ seq: 1, hash: '0'.repeat(64) }] } }), 3],
    ] as const) {
      const fixture = await setUpAttestation()
      await resign(fixture, withPredicate(change))
      expect(await check(fixture)).toMatchObject({ code, report: { ok: false, problems: [{ check: 'ledger' }] } })
    }
  })

  it('with other subjects than its predicate, or of another type, is not read', async () => {
    for (const change of [
      (statement: object) => ({ ...statement, subject: [{ name: 'src/a.ts', digest: { sha256: '0'.repeat(64) } }] }),
      (statement: object) => ({ ...statement, predicateType: 'https://slsa.dev/provenance/v1' }),
      (statement: object) => ({ ...statement, subject: [] }),
      () => [],
    ]) {
      const fixture = await setUpAttestation()
      await resign(fixture, change)
      expect(await check(fixture)).toMatchObject({ code: 1, report: { ok: false, problems: [{ check: 'statement' }] } })
    }
  })

  it.each(['../outside', '/etc/passwd', 'src/../../outside', 'src/./a.ts', 'src//a.ts', 'a\0b'])(
    'about the path %o reads nothing outside the workspace',
    async (path) => {
      const fixture = await setUpAttestation()
      await resign(
        fixture,
        withPredicate(({ changes }) => ({ changes: changes.map((each) => ({ ...each, path })) })),
      )
      expect(await check(fixture)).toMatchObject({
        code: 1,
        report: undefined,
        err: expect.stringContaining('outside the workspace'),
      })
    },
  )
})

describe('a file of another kind with the same bytes', () => {
  it('is not the attested one: a link in the place of a file', async () => {
    const fixture = await setUpAttestation()
    expect((await check(fixture)).report).toMatchObject({ ok: true })
    rmSync(join(fixture.root, 'src/new.ts'))
    symlinkSync('new\n', join(fixture.root, 'src/new.ts'))
    const message = 'is a symbolic link, and the attested one a file.'
    expect((await check(fixture)).report).toMatchObject({
      ok: false,
      problems: [{ check: 'subject', path: 'src/new.ts', message: `src/new.ts in the working tree ${message}` }],
    })
    git(fixture.root, 'init', '-q')
    git(fixture.root, 'add', 'src')
    git(fixture.root, '-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'link')
    expect((await check(fixture, '--revision', 'HEAD')).report.problems).toMatchObject([
      { path: 'src/new.ts', message: expect.stringContaining(message) },
    ])
  })

  it('is not the attested one: a file below a link', async () => {
    const fixture = await setUpAttestation()
    renameSync(join(fixture.root, 'src'), join(fixture.dir, 'src'))
    symlinkSync(join(fixture.dir, 'src'), join(fixture.root, 'src'))
    expect((await check(fixture)).report).toMatchObject({
      ok: false,
      problems: [{ message: 'src/a.ts is missing in the working tree.' }, { path: 'src/new.ts' }],
    })
  })

  it('is the attested one if the statement says nothing about kinds, as those of earlier versions', async () => {
    const fixture = await setUpAttestation()
    await resign(
      fixture,
      withPredicate(({ changes }) => ({ changes: changes.map(({ type: _, ...change }) => change) })),
    )
    rmSync(join(fixture.root, '.orchestration'), { recursive: true })
    expect((await check(fixture)).report).toMatchObject({ ok: true })
  })
})

it('an attestation is accepted without a ledger, and the report says that there is none', async () => {
  const fixture = await setUpAttestation()
  const { statement } = envelopeIn(fixture.file)
  for (const { path, after } of statement.predicate.changes) {
    if (after === null) continue
    mkdirSync(join(fixture.dir, 'src'), { recursive: true })
    writeFileSync(join(fixture.dir, path), fixture.text(path))
  }
  const result = await fixture.escrow('-C', fixture.dir, 'verify', '--attestation', fixture.file, '--key', fixture.pub)
  expect(result).toMatchObject({ code: 0, out: expect.stringContaining('no ledger here') })
})
