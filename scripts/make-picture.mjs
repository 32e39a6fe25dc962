// Draws docs/review.svg and docs/refusals.svg, the README's pictures of a review and of refusals, from the output of the demo:
// node scripts/make-picture.mjs
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SHOWN_CHANGES = ['src/v4/core/doc.ts', 'src/v4/core/regexes.ts']
const REJECTED = 'src/v4/core/doc.ts'
const COLUMNS = 112
const CHARACTER = 8.43
const LINE = 19
const MARGIN = 18
const BAR = 34

const COLORS = {
  plain: '#c9d1d9',
  dim: '#8b949e',
  command: '#f0f6fc',
  added: '#7ee787',
  removed: '#ff7b72',
  place: '#79c0ff',
  held: '#e3b341',
}

/** Splits the demo's output into acts. Each begins with an action of the person or an agent. */
function parseActs(output) {
  const acts = []
  for (const line of output.replace(/\u001b\[[0-9;]*m/g, '').split('\n')) {
    const person = /^person {2}(escrow .*)$/.exec(line)
    if (person) acts.push({ what: person[1], lines: [] })
    else if (/^ {8}/.test(line) && acts.length > 0) acts.at(-1).lines.push(line.slice(8))
    else acts.push({ what: line, lines: [] })
  }
  return acts
}

function findAct(acts, begin) {
  const found = acts.find(({ what }) => what.startsWith(begin))
  if (!found) throw new Error(`The demo printed no '${begin}'.`)
  return found
}

/** The two changes to show, and the line that counts all changes. */
function excerptOf(diff) {
  const shown = []
  let title
  for (const piece of diff.join('\n').split(/\n(?=# |== )/)) {
    if (piece.startsWith('== ')) title = piece
    if (!SHOWN_CHANGES.some((path) => piece.startsWith(`# ${path} `))) continue
    // Keep a group's title if one of its changes is shown.
    if (title !== undefined) shown.push(title)
    shown.push(piece)
    title = undefined
  }
  const count = diff.at(-1).replace(/ Change set .*/, '')
  return [...shown.flatMap((change) => [...change.trimEnd().split('\n'), '']), `… ${count}`]
}

function linesOf(output) {
  const acts = parseActs(output)
  const prompt = ({ what }) => [`$ ${what}`]
  const diff = findAct(acts, 'escrow diff roo-a')
  const commit = findAct(acts, 'escrow commit roo-a')
  const reject = findAct(acts, 'escrow reject roo-a')
  const approve = findAct(acts, 'escrow approve roo-a')
  const denied = acts.findIndex(({ what }) => what.includes(`edit ${REJECTED}`) && what.includes('user_rejected'))
  return [
    ...prompt(diff),
    ...excerptOf(diff.lines),
    '',
    ...prompt(reject),
    ...reject.lines,
    '',
    ...prompt(approve),
    approve.lines.at(-1),
    '',
    ...prompt(commit),
    commit.lines.at(-1),
    '',
    '  the agent, at its next write:',
    acts[denied].what,
    acts[denied].lines[0],
  ].map((line) => (line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line))
}

/** One refusal of each kind that the agents got, in the order of the demo. */
function findRefusals(output) {
  const acts = parseActs(output)
  const one = (reason) => acts.find(({ what }) => what.endsWith(`denied ${reason}`))
  const done = acts.find(({ what }) => what.includes('write_to_file') && what.endsWith('ok'))
  const shown = ['missing_intent_id', undefined, 'scope_violation', 'protected_path', 'stale_file', 'user_rejected']
  return shown
    .flatMap((reason) => {
      const { what, lines } = (reason === undefined ? done : one(reason)) ?? {}
      if (what === undefined) throw new Error(`The demo refused nothing for ${reason}.`)
      return [what, ...lines.slice(0, 1).map((line) => `  ${line.trim()}`)]
    })
    .map((line) => (line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line))
}

function colorOf(line) {
  if (line.startsWith('$ ')) return COLORS.command
  if (/^(\+\+\+|---|diff|new file|…| {2}the agent)/.test(line)) return COLORS.dim
  if (line.startsWith('+') || /^(approved|committed|\d+ changes? (approved|committed))/.test(line)) return COLORS.added
  if (line.startsWith('-') || line.startsWith('rejected')) return COLORS.removed
  if (line.startsWith('@@')) return COLORS.place
  return line.startsWith('# ') || line.includes('denied') ? COLORS.held : COLORS.plain
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function draw(title, lines) {
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER) + 2 * MARGIN, lines.length * LINE + BAR + 2 * MARGIN]
  const row = (line, i) => {
    const weight = /^[$#] /.test(line) ? ' font-weight="bold"' : ''
    const y = BAR + MARGIN + i * LINE + 13
    return `<text x="${MARGIN}" y="${y}" fill="${colorOf(line)}"${weight} xml:space="preserve">${escapeXml(line)}</text>`
  }
  const dot = (color, i) => `<circle cx="${MARGIN + 6 + i * 20}" cy="${BAR / 2}" r="6" fill="${color}"/>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    '  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" role="img">',
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>`,
    `<path d="M0 ${BAR} V10 a10 10 0 0 1 10 -10 H${width - 10} a10 10 0 0 1 10 10 V${BAR} Z" fill="#161b22"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(dot),
    ...lines.map(row),
    '</svg>',
    '',
  ].join('\n')
}

const project = fileURLToPath(new URL('../', import.meta.url))
const demo = spawnSync(process.execPath, ['--import', './ts-node.mjs', 'examples/demo.ts'], {
  cwd: project,
  encoding: 'utf8',
  env: { ...process.env, NO_COLOR: '1' },
  maxBuffer: 1 << 26,
})
if (demo.status !== 0) throw new Error(`The demo failed:\n${demo.stderr}`)
const review = 'A review: the staged diff, one change rejected with a reason, six approved and committed'
writeFileSync(`${project}docs/review.svg`, draw(review, linesOf(demo.stdout)))
writeFileSync(
  `${project}docs/refusals.svg`,
  draw('What an agent is told when it is refused', findRefusals(demo.stdout)),
)
console.log('Wrote docs/review.svg and docs/refusals.svg')
