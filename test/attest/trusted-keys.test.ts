import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTrustedKeys } from '../../src/attest/trusted-keys.js'
import { sshKey } from './scene.js'

let dir = ''
let key = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'escrow-signers-'))
  key = readFileSync(`${sshKey(dir, 'ed25519')}.pub`, 'utf8').trim()
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const NOW = new Date('2026-06-01T12:00:00Z')

function namesFor(options: string): readonly string[] | undefined {
  const file = join(dir, 'allowed_signers')
  writeFileSync(file, `# people\n\nada@example.org,"x" ${options}${options === '' ? '' : ' '}${key}\n`)
  try {
    return [...readTrustedKeys({ allowedSigners: file }, NOW).values()][0]?.names
  } catch {
    return undefined
  }
}

describe('an allowed signers file', () => {
  it.each([
    '',
    'namespaces="escrow-attestation"',
    'namespaces="git,escrow-attestation"',
    'valid-after="20260101"',
    'valid-before="20270101Z"',
    'valid-after="20260601115959Z",valid-before="202606011201Z"',
    'namespaces="escrow-attestation",valid-before="20270101"',
  ])('allows a signer with the options %o', (options) => {
    expect(namesFor(options)).toEqual(['ada@example.org', '"x"'])
  })

  it.each([
    'namespaces="git"',
    'namespaces=""',
    'namespaces',
    'valid-after="20270101"',
    'valid-before="20260601115959Z"',
    'valid-before="soon"',
    'valid-before="20261301"',
    'cert-authority',
    'new-option="x"',
    'namespaces="escrow-attestation",new-option',
    'namespaces="escrow-attestation" valid-before="20200101"',
  ])('allows no signer with the options %o', (options) => {
    expect(namesFor(options)).toBeUndefined()
  })

  it.each(['AA', 'AAAAC3NzaC1lZDI1NTE5', 'AAAA/w==', ''])('skips a line with the damaged key %o', (data) => {
    const file = join(dir, 'allowed_signers')
    writeFileSync(file, `eve@example.org ssh-ed25519 ${data}\nada@example.org ${key}\n`)
    expect([...readTrustedKeys({ allowedSigners: file }, NOW).values()].map(({ names }) => names)).toEqual([
      ['ada@example.org'],
    ])
  })

  it('refuses a private key, and a key of a kind that is not supported', () => {
    expect(() => readTrustedKeys({ keys: [join(dir, 'id_ed25519')] })).toThrow(/private key/)
    expect(() => readTrustedKeys({ keys: [join(dir, 'none')] })).toThrow(/cannot be used/)
  })
})
