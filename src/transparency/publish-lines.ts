import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { layoutAt } from '../os/workspace-state.js'
import { appendOnto, makeDir, makeTempDir, removeTree } from '../os/write.js'
import { type PublishedLog, type PublishOptions, publishLedger } from './publish.js'

/**
 * Publishes a ledger that is stored outside a workspace, such as on a hub. It is verified and published as a file is:
 * from a copy in a directory for this user alone, which is removed.
 * @param lines all of them, in whole lines with their LF
 * @throws EscrowError as {@link publishLedger}
 */
export async function publishLines(
  lines: AsyncIterable<Uint8Array>,
  options: Omit<PublishOptions, 'root'>,
): Promise<PublishedLog> {
  const root = makeTempDir(`${realpathSync(tmpdir())}/escrow-ledger-`)
  try {
    const { dir, ledgerFile } = layoutAt(root)
    makeDir(dir, 0o700)
    for await (const page of lines) appendOnto(`${ledgerFile}`, Buffer.from(page).toString(), 0o600)
    return await publishLedger(Object.assign({ root }, options))
  } finally {
    removeTree(root)
  }
}
