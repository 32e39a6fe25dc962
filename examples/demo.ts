/**
 * Demonstrates escrowfs on a real code base. It replays the tool calls of two agents on one workspace: wrong ones are refused, right
 * ones are staged. A person reviews and commits some of them, and the ledger explains each line.
 *
 * `npm run demo`, or `npm run demo -- --keep` to keep the workspace. Exits with 1 if an outcome differs from what the
 * transcripts state.
 */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openWorkspace, type Workspace } from '../src/index.js'
import { changeLines } from './demo/changes.js'
import { ensureGit, escrow, git } from './demo/commands.js'
import { replayMonthsLater } from './demo/months-later.js'
import { replay } from './demo/replay.js'
import { makeReport, type Report } from './demo/report.js'
import { readTranscripts } from './demo/transcript.js'
import { countFiles, type DemoWorkspace, makeWorkspace } from './demo/workspace.js'

const transcripts = fileURLToPath(new URL('./transcripts', import.meta.url))

async function runDemo(demo: DemoWorkspace, report: Report): Promise<void> {
  const files = countFiles(demo.root)
  report.section(`A workspace of ${files} files, two agents, one person`)
  const workspace = await openWorkspace(demo.root)
  try {
    await acceptFiles(demo, workspace, report)
    await replay(demo, workspace, readTranscripts(transcripts), report)
    const { ok, records } = await workspace.ledger.verify()
    report.check(ok, `The ledger's ${records} records form one chain`)
    report.section('What each committed change does to its file, as measured')
    const changes = await changeLines(workspace.ledger.records())
    for (const line of changes) console.log(line)
    report.check(changes.length > 0, 'The ledger holds the class of each')
  } finally {
    await workspace.close()
  }
  git(demo.root, 'add', '--intent-to-add', '--', 'src')
  report.section('What is on the disk now (git diff --stat)')
  console.log(git(demo.root, 'diff', '--stat', '--', 'src').stdout.trimEnd())
  const { stdout: shortstat } = git(demo.root, 'diff', '--shortstat', '--', 'src')
  await replayMonthsLater(demo, report)
  report.section('Summary')
  report.summary({ files, shortstat })
}

/** Accepts the intents of the repository, which do not apply before a person accepts them on this machine. */
async function acceptFiles(place: DemoWorkspace, workspace: Workspace, report: Report): Promise<void> {
  const { waiting, digest } = await workspace.trust()
  const { status, stdout } = await escrow(place, ['trust', '--trust-digest', digest])
  report.person('escrow trust', stdout, waiting && status === 0)
}

ensureGit()
const report = makeReport((line) => console.log(line))
const place = makeWorkspace()
// The state directory is next to the workspace, so the user's own state does not change.
process.env.XDG_STATE_HOME = place.home
try {
  await runDemo(place, report)
} finally {
  if (process.argv.includes('--keep')) console.log(`The workspace is at ${place.root}`)
  else rmSync(place.home, { recursive: true, force: true })
}
process.exitCode = report.passed ? 0 : 1
