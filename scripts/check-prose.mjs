// Fails on wordy phrases, repeated words and clichés in guides and decision notes: node scripts/check-prose.mjs [FILE...]
// The rules on idioms, which messages and comments follow too, and on long sentences are in test/docs/plain-words.ts.
import { readdirSync, readFileSync } from 'node:fs'
import writeGood from 'write-good'

/** A sentence whose subject is a clause: "What nobody read is refused." */
const QUESTION_SUBJECT = /(?<=^|[.:;] +)Wh(?:at|o)\b(?=[^?\n]*[.:;])/gm

/** Phrases that write-good calls wordy, but that our sentences need. */
const ALLOWED = ['it is', 'it was', 'all of', 'however', 'therefore', 'validate', 'transmit', 'monitor']

/** The folders of the guides and of the decision notes. */
const FOLDERS = ['docs', 'docs/hosts', 'docs/decisions']

/** Generated pages. Their text is in the code. */
const GENERATED = ['docs/cli.md', 'docs/hosts/checks.md']

const OPTIONS = { passive: false, adverb: false, weasel: false, eprime: false }

const guides = [
  ...['README.md', 'SECURITY.md'],
  ...FOLDERS.flatMap(markdownIn).filter((file) => !GENERATED.includes(file)),
]
const named = process.argv.slice(2)
const findings = (named.length > 0 ? named : guides).flatMap(check)
for (const finding of findings) console.error(finding)
console.log(`${findings.length} findings in the prose`)
process.exitCode = findings.length === 0 ? 0 : 1

function markdownIn(folder) {
  return readdirSync(folder).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : []))
}

function check(file) {
  const prose = proseOf(readFileSync(file, 'utf8'))
  const lineOf = (index) => prose.slice(0, index).split('\n').length
  const questions = [...prose.matchAll(QUESTION_SUBJECT)].map(({ index, 0: word }) => ({
    index,
    reason: `"${word}" begins a clause that is the subject: write a noun`,
  }))
  const others = writeGood(prose, OPTIONS).filter((each) => !isAllowed(prose, each))
  return [...questions, ...others].map(({ index, reason }) => `${file}:${lineOf(index)}: ${reason}`)
}

function isAllowed(prose, { index, offset }) {
  return ALLOWED.includes(prose.slice(index, index + offset).toLowerCase())
}

/** Replaces code by words that no rule matches, and removes generated parts, headings and link targets. Keeps line numbers. */
function proseOf(markdown) {
  const blank = (text) => text.replace(/[^\n]/g, '')
  let codes = 0
  return markdown
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/<!-- (?:generated|measured)[\s\S]*?<!-- (?:end|\/measured) -->/g, blank)
    .replace(/^#.*$/gm, '')
    .replace(/`[^`\n]*`/g, () => `code${++codes}`)
    .replace(/\]\([^)]*\)/g, ']')
}
