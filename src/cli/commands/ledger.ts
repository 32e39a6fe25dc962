import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { ProofReport, Witnessed } from '../../transparency/index.js'
import { type Context, EXIT } from '../context.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { renderPublished } from '../render-published.js'
import { collect } from '../repeated.js'

export function register(command: Command, context: Context): void {
  command.description(
    'Publish the ledger as a transparency log: static files that anyone can serve, prove from, and watch. The ledger stays as it is.',
  )
  registerPublish(command, context)
  registerWitness(command, context)
  registerProve(command, context)
  registerVerifyProof(command, context)
}

function registerPublish(command: Command, { io, directory, asReviewer }: Context): void {
  command
    .command('publish')
    .description(
      "Write the ledger's lines and the hashes of their tree to a directory, and sign its checkpoint with the key of 'escrow keys'. Writes only what is new since the last time. " +
        'Refused if the ledger does not continue what was published.',
    )
    .argument('<log>', 'the directory of the log')
    .option('--origin <name>', "the log's name, such as example.org/ledger; by default it has the ledger's id")
    .option('--hashes-only', 'publish no line of the ledger, only hashes')
    .addOption(jsonOption())
    .action(async (log: string, options: { origin?: string; hashesOnly?: true } & AsJson) => {
      const { publishLedger } = await import('../../transparency/index.js')
      const dir = resolve(directory(), log)
      const { origin, hashesOnly = false } = options
      const published = await asReviewer(({ root }) => publishLedger({ root, dir, origin, hashesOnly }))
      io.out(options.json ? json(published) : renderPublished(published))
    })
}

function registerWitness(command: Command, { io, directory, library }: Context): void {
  command
    .command('witness')
    .description(
      "Cosign a log's checkpoint with the key of 'escrow keys' on this machine, if the log continues what this machine saw of it before. A log that was cut or rewritten is refused.",
    )
    .argument('<log>', 'the directory of the log')
    .requiredOption('--name <name>', 'the name to sign as, such as example.org/witness')
    .option('--log-key <key>', "the log's key; needed the first time")
    .addOption(jsonOption())
    .action(async (log: string, options: { name: string; logKey?: string } & AsJson) => {
      const { witnessLog } = await import('../../transparency/index.js')
      // A witness has no workspace, but no agent may sign.
      ;(await library()).admitAgent()
      const { name, logKey } = options
      const witnessed = await witnessLog({ dir: resolve(directory(), log), name, logKey })
      io.out(options.json ? json(witnessed) : renderWitnessed(witnessed))
    })
}

function renderWitnessed({ origin, size, before, key }: Witnessed): string {
  const since = before === undefined ? 'seen for the first time' : `it continues the ${before} seen before`
  return `Cosigned ${oneLine(origin)}: ${pluralize(size, 'line')}; ${since}.\nThe witness's key: ${oneLine(key)}\n`
}

function registerProve(command: Command, { io, directory }: Context): void {
  command
    .command('prove')
    .description(
      'Print a proof from a published log: that a line is in it, or with `--from` that it continues an older checkpoint. Whoever has the proof and the keys can check it offline.',
    )
    .argument('<log>', 'the directory of the log')
    .argument('[line]', "a line's number, or the id of a commit")
    .option('--from <checkpoint>', 'the file of an older checkpoint')
    .action(async (log: string, line: string | undefined, { from }: { from?: string }, self: Command) => {
      if ((line === undefined) === (from === undefined))
        self.error("error: give a line, or '--from' with an older checkpoint")
      const { proveConsistency, proveInclusion } = await import('../../transparency/index.js')
      const dir = resolve(directory(), log)
      if (line !== undefined) io.out(proveInclusion(dir, line))
      else io.out(proveConsistency(dir, readFileSync(resolve(directory(), from ?? ''), 'utf8')))
    })
}

interface ProofFlags extends AsJson {
  readonly logKey: string
  readonly witness: readonly string[]
  readonly quorum: number
  readonly from?: string
  readonly line?: string
}

function registerVerifyProof(command: Command, { io, directory, exit }: Context): void {
  command
    .command('verify-proof')
    .description("Check a proof of 'escrow ledger prove', offline. Exit code 1: it is not valid; the message says why.")
    .argument('<proof>', 'the file of the proof')
    .requiredOption('--log-key <key>', "the log's key, as 'escrow ledger publish' prints it")
    .option('--witness <key>', 'the key of a witness to trust; may be repeated', collect, [])
    .option('--quorum <number>', 'how many of these witnesses must have cosigned', parseQuorum, 0)
    .option('--from <checkpoint>', 'the file of the older checkpoint, for a proof that a log continues it')
    .option('--line <file>', 'a file with the line, if the proof does not have it')
    .addOption(jsonOption())
    .action(async (file: string, options: ProofFlags) => {
      const { checkProof, MAX_PROOF_BYTES } = await import('../../transparency/index.js')
      const read = (path: string) => readProofFile(resolve(directory(), path), MAX_PROOF_BYTES)
      const { logKey, witness, quorum, from, line } = options
      const report = checkProof({
        proof: read(file),
        logKey,
        witnesses: witness,
        quorum,
        entry: line === undefined ? undefined : Buffer.from(read(line).replace(/\n$/, '')),
        older: from === undefined ? undefined : read(from),
      })
      if (!report.ok) exit(EXIT.refused)
      if (options.json) io.out(json(report))
      else if (report.ok) io.out(renderProof(report))
      else io.err(['The proof is not valid.', ...report.problems].map((each) => `${oneLine(each)}\n`).join(''))
    })
}

function readProofFile(path: string, limit: number): string {
  if (statSync(path).size > limit)
    throw new Error(`${path} is longer than a proof can be. 'escrow ledger prove' writes one.`)
  return readFileSync(path, 'utf8')
}

function parseQuorum(value: string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new InvalidArgumentError('A number from 0 on is expected.')
}

function renderProof({ kind, origin, size, line, from, text, witnesses }: ProofReport): string {
  const cosigned = witnesses.length === 0 ? '' : ` Cosigned by ${witnesses.join(', ')}.`
  const what =
    kind === 'inclusion'
      ? `Line ${line} is in '${origin}' of ${pluralize(size, 'line')}.`
      : `'${origin}' of ${pluralize(size, 'line')} continues that of ${from}.`
  return `${oneLine(`${what}${cosigned}`)}\n${text === undefined ? '' : `${oneLine(text)}\n`}`
}
