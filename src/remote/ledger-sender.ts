import { realpathSync } from 'node:fs'
import { fileStampAt } from '../../overlay/index.js'
import type { Workspace } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { layoutAt } from '../os/workspace-state.js'
import type { LineFold } from '../trace/remote-chain.js'
import { HubRefusal } from './ask.js'
import type { HubClient } from './hub-client.js'
import { planBatches, readBatch } from './ledger-batches.js'
import type { SyncReport } from './report.js'
import { type Remote, readSentLedger, writeSentLedger } from './settings.js'

/** Attempts, if another process of this machine sends the same ledger. */
const ATTEMPTS = 3
/**
 * Faults of the ledger itself. They do not stop the work on the machine, so they do not stop a sync that watches
 * either.
 */
const FAULTS = new Set(['ledger_corrupt', 'ledger_fork', 'ledger_unavailable', 'limit_exceeded'])

/** Sends the lines of this machine's ledger that the hub lacks: at least once, and from where the hub is. */
export class LedgerSender {
  readonly #layout: Layout
  /** The stamp of the file after the last pass of {@link sendIfChanged}. */
  #seen: string | undefined
  #problem: string | undefined
  #saidOld = false

  constructor(
    private readonly workspace: Workspace,
    private readonly client: HubClient,
    private readonly remote: Remote,
    private readonly report: (report: SyncReport) => void,
  ) {
    this.#layout = layoutAt(realpathSync(workspace.root))
  }

  /**
   * @throws EscrowError `ledger_corrupt` if the ledger has a fault, `ledger_fork` if it does not continue what the hub has,
   * `limit_exceeded` at a line that is too long; HubRefusal
   */
  async send(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send()
      } catch (error) {
        if (!(error instanceof HubRefusal && error.code === 'behind') || attempt === ATTEMPTS) throw error
      }
    }
  }

  /** As {@link send}, if the file has changed since the last time. Reports a fault of the ledger, once, instead of throwing it. */
  async sendIfChanged(): Promise<void> {
    const stamp = this.#stamp()
    if (stamp === this.#seen) return
    try {
      await this.send()
      this.#problem = undefined
    } catch (error) {
      if (!(error instanceof EscrowError && FAULTS.has(error.reason))) throw error
      if (error.message !== this.#problem) this.report({ kind: 'problem', message: error.message })
      this.#problem = error.message
    }
    this.#seen = stamp
  }

  async #send(): Promise<void> {
    const { root } = this.workspace
    const there = await this.client.ledgerHead()
    if (there === undefined) return this.#reportOld()
    // Taken before the file is read, so that the next pass sends lines that are appended during this one.
    const stamp = this.#stamp()
    const sent = readSentLedger(root, this.remote)
    if (stamp === sent?.stamp && there.lines === sent?.lines && there.sha256 === sent.sha256) return
    const { batches, tooLong } = await planBatches(this.#layout, there)
    let head: LineFold = there
    for (const batch of batches) head = await this.client.appendLines(batch.before, readBatch(this.#layout, batch))
    if (batches.length > 0) this.report({ kind: 'ledger', lines: head.lines - there.lines })
    if (tooLong !== undefined) throw lineTooLong(tooLong)
    const { url, name } = this.remote
    writeSentLedger(root, { url, name, stamp: stamp ?? '', lines: head.lines, sha256: head.sha256 })
  }

  #reportOld(): void {
    if (!this.#saidOld)
      this.report({ kind: 'problem', message: 'The hub is of an earlier version, which keeps no ledgers.' })
    this.#saidOld = true
  }

  #stamp(): string | undefined {
    return fileStampAt(`${this.#layout.ledgerFile}`)
  }
}

function lineTooLong(line: number): EscrowError {
  return new EscrowError(
    'limit_exceeded',
    `Line ${line} of the ledger is longer than a hub takes. The lines from it on are not sent.`,
    { hint: 'Reviews and commits go on without them.' },
  )
}
