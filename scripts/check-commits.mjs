// Fails where the subject of a commit has more than 72 characters: node scripts/check-commits.mjs
// Commits up to the base are older than the rule. Without a git checkout, or without the base in it, nothing can be checked.
import { spawnSync } from 'node:child_process'

const BASE = '0424698867071a45a6203c12b72f298b1bdc67a5'
const LONGEST = 72

const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%h %s', `${BASE}..HEAD`], {
  encoding: 'utf8',
})
if (status !== 0) {
  console.log('Commit subjects were not checked: this is no git checkout with the whole history.')
  process.exit(0)
}
const subjects = stdout.split('\n').filter((line) => line !== '')
const long = subjects.filter((line) => [...line.slice(line.indexOf(' ') + 1)].length > LONGEST)
for (const line of long) console.error(`over ${LONGEST} characters: ${line}`)
console.log(`${subjects.length} commit subjects checked`)
process.exit(long.length === 0 ? 0 : 1)
