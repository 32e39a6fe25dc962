// Fails where the subject of a commit has more than 72 characters: node scripts/check-commits.mjs
// Commits before the rule are left out by their author's date, which survives a rebase.
import { spawnSync } from 'node:child_process'

const RULE_BEGINS = Date.parse('2026-11-24T00:00:00Z')
const LONGEST = 72
/** Subjects that were on the trunk before somebody saw their length. The trunk is not rewritten. */
const KNOWN = ['Rewrite guides of hosts, hooks, commands and embedding; shorten SECURITY.md']

const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%aI %h %s'], { encoding: 'utf8' })
if (status !== 0) {
  console.error('Commit subjects cannot be checked: this is no git checkout.')
  process.exit(1)
}
const commits = stdout.split('\n').flatMap((line) => {
  const [, date, id, subject] = /^(\S+) (\S+) (.*)$/.exec(line) ?? []
  return date !== undefined && Date.parse(date) >= RULE_BEGINS ? [{ id, subject }] : []
})
const long = commits.filter(({ subject }) => [...subject].length > LONGEST && !KNOWN.includes(subject))
for (const { id, subject } of long) console.error(`over ${LONGEST} characters: ${id} ${subject}`)
console.log(`${commits.length} commit subjects checked`)
process.exit(long.length === 0 ? 0 : 1)
