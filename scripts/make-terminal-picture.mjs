// Draws docs/review-terminal.svg from a real screen in tmux: node scripts/make-terminal-picture.mjs, after npm run build.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openWorkspace } from 'escrowfs'

const [COLUMNS, ROWS] = [96, 26]
const [CHARACTER, LINE, MARGIN, BAR] = [8.43, 19, 18, 34]
const COLORS = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 34: '#79c0ff', 35: '#d2a8ff', 36: '#76e3ea' }
const [PLAIN, DIM, BACKGROUND] = ['#c9d1d9', '#8b949e', '#0d1117']
const project = fileURLToPath(new URL('../', import.meta.url))

const BEFORE = `import { rates } from './rates.js'

/** The price with tax, in cents. */
export function withTax(cents, country) {
  const rate = rates[country]
  return Math.round(cents * (1 + rate))
}

export function format(cents) {
  return (cents / 100).toFixed(2)
}
`
const AFTER = BEFORE.replace('rates[country]', 'rates[country] ?? rates.default').replace(
  'return (cents / 100).toFixed(2)',
  "return (cents / 100).toFixed(2).replace('.', ',')",
)

async function stageWork(root) {
  mkdirSync(`${root}/src`)
  mkdirSync(`${root}/.orchestration`)
  writeFileSync(`${root}/src/price.js`, BEFORE)
  writeFileSync(`${root}/src/old-price.js`, 'export const TAX = 0.19\n')
  const intent = '  - id: INT-001\n    name: Prices\n    status: IN_PROGRESS\n    owned_scope: ["src/**"]\n'
  writeFileSync(`${root}/.orchestration/active_intents.yaml`, `active_intents:\n${intent}`)
  const workspace = await openWorkspace(root)
  await workspace.accept((await workspace.trust()).digest, { name: 'Ada' })
  const session = await workspace.session({ id: 'shop', agent: { model: 'some-model' } })
  await session.selectIntent('INT-001')
  const edit = (id, work) => session.toolCall({ tool: 'write', kind: 'edit', id }, work)
  await edit('call-1', () => session.fs.writeFileSync('src/price.js', AFTER))
  await edit('call-2', () => session.fs.rmSync('src/old-price.js'))
  await session.flush()
  return workspace
}

/** The coloured screen after a person has approved the deletion. */
async function screenOf(root) {
  const tmux = (...args) =>
    execFileSync('tmux', ['-S', join(root, 'socket'), '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...process.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', NO_COLOR: '' },
    })
  const command = `${process.execPath} ${project}dist/src/cli/main.js -C ${root} review shop`
  tmux('new-session', '-d', '-x', String(COLUMNS), '-y', String(ROWS), command)
  const waitForText = async (words) => {
    for (let tries = 0; tries < 300 && !tmux('capture-pane', '-p').includes(words); tries++) await sleep(100)
  }
  try {
    await waitForText('1/')
    tmux('send-keys', 'y')
    await waitForText('is approved')
    await sleep(1_500)
    return tmux('capture-pane', '-p', '-e').trimEnd().split('\n')
  } finally {
    tmux('kill-server')
  }
}

/** Splits a line into runs of one style: colour, weight, inverse. */
function runsOf(line) {
  let look = { color: PLAIN, bold: false, inverse: false }
  return line.split(/(\x1b\[[0-9;]*m)/).flatMap((part) => {
    const codes = /^\x1b\[([0-9;]*)m$/.exec(part)?.[1]
    if (codes === undefined) return part === '' ? [] : [{ ...look, text: part }]
    for (const code of codes.split(';').map(Number)) look = applyCode(look, code)
    return []
  })
}

function applyCode(look, code) {
  if (code === 0) return { color: PLAIN, bold: false, inverse: false }
  if (code === 1) return { ...look, bold: true }
  if (code === 2) return { ...look, color: DIM }
  if (code === 7) return { ...look, inverse: true }
  if (code === 39) return { ...look, color: PLAIN }
  return COLORS[code] === undefined ? look : { ...look, color: COLORS[code] }
}

const escapeXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Appends the SVG elements of a row: backgrounds of inverse text, and the text */
function draw(line, row, state) {
  let column = 0
  const y = BAR + MARGIN + row * LINE
  const x = (at) => (MARGIN + at * CHARACTER).toFixed(1)
  for (const { text, color, bold, inverse } of runsOf(line)) {
    const width = (text.length * CHARACTER).toFixed(1)
    if (inverse) state.push(`<rect x="${x(column)}" y="${y - 1}" width="${width}" height="${LINE}" fill="${color}"/>`)
    const weight = bold ? ' font-weight="bold"' : ''
    const fill = inverse ? BACKGROUND : color
    const place = `x="${x(column)}" y="${y + 13}" textLength="${width}"`
    if (text.trim() !== '')
      state.push(`<text ${place} fill="${fill}"${weight} xml:space="preserve">${escapeXml(text)}</text>`)
    column += text.length
  }
}

function pictureOf(lines) {
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER) + 2 * MARGIN, ROWS * LINE + BAR + 2 * MARGIN]
  const drawn = []
  // In tmux's output, a line starts with the style at the end of the line before.
  let carried = ''
  lines.forEach((line, row) => {
    draw(carried + line, row, drawn)
    carried = (line.match(/\x1b\[[0-9;]*m/g) ?? []).reduce((all, code) => all + code, carried)
  })
  const dots = ['#ff5f57', '#febc2e', '#28c840']
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    '  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" role="img">',
    '<title>escrow review: a hunk with its colours, a deletion approved</title>',
    `<rect width="${width}" height="${height}" rx="10" fill="${BACKGROUND}"/>`,
    `<path d="M0 ${BAR} V10 a10 10 0 0 1 10 -10 H${width - 10} a10 10 0 0 1 10 10 V${BAR} Z" fill="#161b22"/>`,
    ...dots.map((color, i) => `<circle cx="${MARGIN + 6 + i * 20}" cy="${BAR / 2}" r="6" fill="${color}"/>`),
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}

const root = mkdtempSync(join(tmpdir(), 'escrow-picture-'))
try {
  const workspace = await stageWork(root)
  writeFileSync(`${project}docs/review-terminal.svg`, pictureOf(await screenOf(root)))
  await workspace.close()
} finally {
  rmSync(root, { recursive: true, force: true })
}
console.log('Wrote docs/review-terminal.svg')
