/**
 * Commits round after round until it is killed: round r gives each of COUNT files the content r. Says each round once
 * its commit is answered. With `die` it kills itself right after its first commit point. ROOT COUNT FROM [die]
 */
import { writeSync } from 'node:fs'
import { digest } from '../../overlay/index.js'
import { realDisk } from '../../src/commit/disk.js'
import { type CommitEntry, commitEntries } from '../../src/commit/index.js'
import { layoutOf } from '../../src/core/layout.js'
import { newDraft, openLedger, type RecordDraft } from '../../src/trace/index.js'
import { roundFiles } from './rounds.js'

const [root = '', count = '1', from = '1', die] = process.argv.slice(2)
const layout = layoutOf(root)
const ledger = openLedger(layout)

const stateOf = (round: number) =>
  round === 0 ? null : ({ type: 'file', digest: digest(`${round}`), mode: 0o644 } as const)

function entriesOf(round: number): CommitEntry[] {
  const content = () => Buffer.from(`${round}`)
  const op = round === 1 ? 'create' : 'overwrite'
  return roundFiles(Number(count)).map((path) => ({ path, op, old: stateOf(round - 1), new: stateOf(round), content }))
}

const dying = {
  ...realDisk,
  link: (...[existing, name]: Parameters<typeof realDisk.link>) => {
    realDisk.link(existing, name)
    if (String(name).startsWith(`${layout.commits}/`)) process.kill(process.pid, 'SIGKILL')
  },
}

for (let round = Number(from); ; round += 1) {
  const input = {
    layout,
    sessionId: 's',
    entries: entriesOf(round),
    gate: () => undefined,
    records: () => [{ ...newDraft({ type: 'commit', intent: null, session: 's', data: { round } }) }],
    append: async (record: Record<string, unknown>) => {
      await ledger.appendOnce(record as unknown as RecordDraft)
    },
  }
  await commitEntries(input, die === undefined ? realDisk : dying)
  writeSync(1, `${round}\n`)
}
