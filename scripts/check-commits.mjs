// Fails if the subject of a commit has more than 72 characters: node scripts/check-commits.mjs
// It skips commits before the rule by their author date, which survives a rebase.
import { spawnSync } from 'node:child_process'

const RULE_START = Date.parse('2026-11-24T00:00:00Z')
const MAX_LENGTH = 72
/** Longer subjects that are on the trunk already. The trunk is not rewritten. */
const KNOWN = ['Rewrite guides of hosts, hooks, commands and embedding; shorten SECURITY.md']

const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%aI %h %s'], { encoding: 'utf8' })
if (status !== 0) {
  console.error('Commit subjects cannot be checked: this is not a git checkout.')
  process.exit(1)
}
const commits = stdout.split('\n').flatMap((line) => {
  const [, date, id, subject] = /^(\S+) (\S+) (.*)$/.exec(line) ?? []
  return date !== undefined && Date.parse(date) >= RULE_START ? [{ id, subject }] : []
})
const long = commits.filter(({ subject }) => [...subject].length > MAX_LENGTH && !KNOWN.includes(subject))
for (const { id, subject } of long) console.error(`over ${MAX_LENGTH} characters: ${id} ${subject}`)
console.log(`${commits.length} commit subjects checked`)
process.exit(long.length === 0 ? 0 : 1)
