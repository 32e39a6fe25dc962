import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type CommandOutput, escrowAt } from '../cli/real.js'
import { startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

/** A workspace with a commit of three changes that Ada approved, one of them hunk by hunk. */
export interface AttestScene extends TestWorkspace {
  readonly commit: string
  /** A directory outside the workspace. */
  readonly dir: string
  escrow(...argv: string[]): Promise<CommandOutput>
}

const ADA = { name: 'Ada', email: 'ada@example.org' }

export async function attestScene(): Promise<AttestScene> {
  const project = testWorkspace()
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', 'a one\nchanged\n')
  session.fs.writeFileSync('src/new.ts', 'new\n')
  session.fs.unlinkSync('src/b.ts')
  const review = await workspace.review('agent')
  const { changes } = await review.changes()
  const [hunk] = changes.find(({ path }) => path === 'src/a.ts')?.hunks ?? []
  await review.approve({ hunks: [hunk?.id ?? ''] }, ADA)
  await review.approve({ paths: ['src/new.ts', 'src/b.ts'] }, ADA)
  const { id } = await review.commit()
  await workspace.close()
  const dir = mkdtempSync(join(tmpdir(), 'escrow-attest-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return { ...project, commit: id, dir, escrow: (...argv) => escrowAt(project.root, argv) }
}

export const KEY_TYPES = ['ed25519', 'ecdsa', 'rsa'] as const

/** A key of real ssh-keygen. Returns the file of the private half; the public half is next to it. */
export function sshKey(dir: string, type: (typeof KEY_TYPES)[number], passphrase = ''): string {
  const file = join(dir, `id_${type}${passphrase}`)
  const bits = type === 'ecdsa' ? ['-b', '256'] : type === 'rsa' ? ['-b', '2048'] : []
  execFileSync('ssh-keygen', ['-q', '-t', type, ...bits, '-N', passphrase, '-C', 'ada', '-f', file])
  return file
}

/** A key of real openssl, and its public half. */
export function pemKey(dir: string, type: (typeof KEY_TYPES)[number]): { key: string; pub: string } {
  const [key, pub] = [join(dir, `${type}.pem`), join(dir, `${type}.pub.pem`)]
  const how = {
    ed25519: ['-algorithm', 'ed25519'],
    ecdsa: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  }
  execFileSync('openssl', ['genpkey', ...how[type], '-out', key], { stdio: 'ignore' })
  execFileSync('openssl', ['pkey', '-in', key, '-pubout', '-out', pub])
  return { key, pub }
}

/** The envelope in a file, and what its signatures cover, by the definition of DSSE. */
export function envelopeIn(file: string) {
  const envelope = JSON.parse(readFileSync(file, 'utf8'))
  const payload = Buffer.from(envelope.payload, 'base64')
  const head = `DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${payload.length} `
  const signatures: Buffer[] = envelope.signatures.map(({ sig }: { sig: string }) => Buffer.from(sig, 'base64'))
  return {
    envelope,
    statement: JSON.parse(payload.toString()),
    message: Buffer.concat([Buffer.from(head), payload]),
    signatures,
  }
}

/** Whether real openssl accepts a signature. */
export function opensslVerifies(dir: string, pub: string, message: Buffer, signature: Buffer, isRaw: boolean): boolean {
  const [data, sig] = [join(dir, 'message'), join(dir, 'signature')]
  writeFileSync(data, message)
  writeFileSync(sig, signature)
  const args = isRaw
    ? ['pkeyutl', '-verify', '-pubin', '-inkey', pub, '-rawin', '-in', data, '-sigfile', sig]
    : ['dgst', '-sha256', '-verify', pub, '-signature', sig, data]
  try {
    execFileSync('openssl', args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
