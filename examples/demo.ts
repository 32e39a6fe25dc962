/**
 * The whole idea on a real code base: two agents' tool calls are replayed on one workspace, wrong ones are refused, right
 * ones staged; a person reviews, releases some to the disk, and the ledger says why each line is there.
 *
 * `npm run demo`, or `npm run demo -- --keep` to look around afterwards. Exits with 1 if an outcome differs from what the
 * transcripts state.
 */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openWorkspace, type Workspace } from '../src/index.js'
import { changeLines } from './demo/changes.js'
import { ensureGit, escrow, git } from './demo/commands.js'
import { monthsLater } from './demo/months-later.js'
import { replay } from './demo/replay.js'
import { makeReport, type Report } from './demo/report.js'
import { readTranscripts } from './demo/transcript.js'
import { countFiles, type DemoWorkspace, makeWorkspace } from './demo/workspace.js'

const transcripts = fileURLToPath(new URL('./transcripts', import.meta.url))

async function play(place: DemoWorkspace, report: Report): Promise<void> {
  const files = countFiles(place.root)
  report.section(`A workspace of ${files} files, two agents, one person`)
  const workspace = await openWorkspace(place.root)
  try {
    await acceptFiles(place, workspace, report)
    await replay(place, workspace, readTranscripts(transcripts), report)
    const { ok, records } = await workspace.ledger.verify()
    report.check(ok, `The ledger's ${records} records form one chain`)
    report.section('What each committed change does to its file, as measured')
    const changes = await changeLines(workspace.ledger.records())
    for (const line of changes) console.log(line)
    report.check(changes.length > 0, 'The ledger holds the class of each')
  } finally {
    await workspace.close()
  }
  git(place.root, 'add', '--intent-to-add', '--', 'src')
  report.section('What is on the disk now (git diff --stat)')
  console.log(git(place.root, 'diff', '--stat', '--', 'src').stdout.trimEnd())
  const { stdout: shortstat } = git(place.root, 'diff', '--shortstat', '--', 'src')
  await monthsLater(place, report)
  report.section('Summary')
  report.summary({ files, shortstat })
}

/** The intents came with the repository, so they count only once a person has accepted them on this machine. */
async function acceptFiles(place: DemoWorkspace, workspace: Workspace, report: Report): Promise<void> {
  const { waiting, digest } = await workspace.trust()
  const { status, stdout } = await escrow(place, ['trust', '--trust-digest', digest])
  report.person('escrow trust', stdout, waiting && status === 0)
}

ensureGit()
const report = makeReport((line) => console.log(line))
const place = makeWorkspace()
// The state directory goes where the workspace goes: nothing of the user's is touched.
process.env.XDG_STATE_HOME = place.home
try {
  await play(place, report)
} finally {
  if (process.argv.includes('--keep')) console.log(`The workspace is at ${place.root}`)
  else rmSync(place.home, { recursive: true, force: true })
}
process.exitCode = report.passed ? 0 : 1
