/**
 * Commits round after round until it is killed: round r gives each of COUNT files the content r. Prints each round
 * after its commit. With `die` it kills itself right after its first commit point. With a number from 0 to 1 it pauses
 * at that fraction of its second commit, measured in calls that change or sync the disk, prints the name of the next
 * call, and waits to be killed. ROOT COUNT FROM [die | 0..1]
 */
import { writeSync } from 'node:fs'
import { digest } from '../../overlay/index.js'
import { type Disk, realDisk } from '../../src/commit/disk.js'
import { type CommitEntry, commitEntries } from '../../src/commit/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { newDraft, openLedger, parseDraft } from '../../src/trace/index.js'
import { roundFiles } from './rounds.js'

const [root = '', count = '1', from = '1', end] = process.argv.slice(2)
const layout = layoutAt(root)
const ledger = openLedger(layout)

const stateOf = (round: number) =>
  round === 0 ? null : ({ type: 'file', digest: digest(`${round}`), mode: 0o644 } as const)

function entriesOf(round: number): CommitEntry[] {
  const content = () => Buffer.from(`${round}`)
  const op = round === 1 ? 'create' : 'overwrite'
  return roundFiles(Number(count)).map((path) => ({ path, op, old: stateOf(round - 1), new: stateOf(round), content }))
}

const killingDisk = {
  ...realDisk,
  link: (...[existing, name]: Parameters<typeof realDisk.link>) => {
    realDisk.link(existing, name)
    if (String(name).startsWith(`${layout.commits}/`)) process.kill(process.pid, 'SIGKILL')
  },
}

/**
 * The number of calls of this commit so far, and of the previous one. A commit of equally many files has equally many
 * calls.
 */
let calls = 0
let callsPerCommit = Number.POSITIVE_INFINITY

function step(name: string): void {
  calls += 1
  if (calls !== Math.ceil(Number(end) * callsPerCommit)) return
  writeSync(1, `paused before ${name}\n`)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const READS: ReadonlySet<string> = new Set(
  'openDir closeDir digestFile readFile lstat readlink readdir assertWritable'.split(' '),
)

/** A disk that calls {@link step} before each call that changes or syncs the disk. */
function countingDisk(disk: Disk): Disk {
  const counting = { ...disk }
  for (const [name, call] of Object.entries(disk)) {
    if (typeof call !== 'function' || READS.has(name)) continue
    const wrapper = (...args: unknown[]): unknown => {
      step(name)
      return Reflect.apply(call, disk, args)
    }
    Object.defineProperty(counting, name, { value: wrapper, enumerable: true })
  }
  return counting
}

const disk = end === undefined ? realDisk : end === 'die' ? killingDisk : countingDisk(realDisk)

for (let round = Number(from); ; round += 1) {
  calls = 0
  const input = {
    layout,
    sessionId: 's',
    entries: entriesOf(round),
    gate: () => undefined,
    records: () => [{ ...newDraft({ type: 'commit', intent: null, session: 's' }), data: { round } }],
    append: async (record: Record<string, unknown>) => {
      step('append')
      await ledger.appendOnce(parseDraft(record))
    },
  }
  await commitEntries(input, disk)
  step('answer')
  // The first round creates its files, with other calls than an overwrite.
  if (round > 1) callsPerCommit = calls
  writeSync(1, `${round}\n`)
}
