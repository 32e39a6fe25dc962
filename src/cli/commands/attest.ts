import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Attestation } from '../../attest/index.js'
import type { Context } from '../context.js'
import { oneLine } from '../printable.js'
import { collect } from '../repeated.js'

interface Options {
  readonly key: readonly string[]
  readonly out?: string
  readonly all?: true
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Sign a statement about each commit, for people who do not have this workspace: its files by digest, its intent and agent, who decided on which ' +
        "hunks, its checks, and the ledger's head. It is an in-toto statement in a DSSE envelope. Refused if the ledger is damaged.",
    )
    .argument('[commits...]', 'ids or numbers of commits; the newest one by default')
    .option('--all', 'all commits')
    .option(
      '--key <file>',
      "the key that signs: a private key in PEM or OpenSSH form, or the .pub of a key in ssh-agent; the key of 'escrow keys' by default. Repeat it for several signatures",
      collect,
      [],
    )
    .addOption(
      new Option(
        '--out <file>',
        'write to this file, or into this directory; by default one envelope a line on stdout',
      ),
    )
    .action((commits: string[], options: Options) => attest(context, commits, options))
}

async function attest(context: Context, commits: readonly string[], { key, out, all }: Options): Promise<void> {
  const { io, directory, asReviewer } = context
  const { attestCommits, openSigner } = await import('../../attest/index.js')
  const cwd = directory()
  const signers = key.length === 0 ? [undefined] : key.map((file) => resolve(cwd, file))
  const attestations = await asReviewer(({ root }) =>
    attestCommits({ root, commits: all ? 'all' : commits, signers: signers.map((file) => openSigner(file)) }),
  )
  if (out === undefined) return io.out(linesOf(attestations))
  const { replaceDurable } = await import('../../surface/index.js')
  const target = resolve(cwd, out)
  const files = statSync(target, { throwIfNoEntry: false })?.isDirectory()
    ? attestations.map((each) => [join(target, `${each.commit}.intoto.json`), linesOf([each])] as const)
    : [[target, linesOf(attestations)] as const]
  for (const [file, text] of files) {
    replaceDurable(file, text)
    io.out(`wrote  ${oneLine(file)}\n`)
  }
}

function linesOf(attestations: readonly Attestation[]): string {
  return attestations.map(({ envelope }) => `${JSON.stringify(envelope)}\n`).join('')
}
