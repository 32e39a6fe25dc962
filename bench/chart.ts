import { growthPanel } from './chart-growth.js'
import { aimText, headline, OURS, quantity, type Report, type Row, times, verdictOf } from './report.js'
import { COLORS, circle, line, text, WIDTH } from './svg.js'

/** Draws a suite's report: the cost of each call as a multiple of the baseline, with the peers and the aim. */

const LEFT = 400
const RIGHT = 170
const TOP = 100
const STEP = 21
const PLOT = WIDTH - LEFT - RIGHT
/** The axis ends at these powers of ten. */
const FROM = -2
const TO = 2
const PEER_COLORS = ['#8250df', '#bf8700', '#e85aad', '#1b7c83', '#6e7781', '#bc4c00']

export function chart(report: Report): string {
  const ratios = report.rows.filter((row) => oursOf(row)?.ratio && row.aim?.of !== 'value')
  const values = report.rows.filter((row) => row.aim?.of === 'value' && verdictOf(row))
  const peers = [...new Set(ratios.flatMap(({ results }) => results.slice(1).map(({ name }) => name)))].filter(
    (name) => name !== OURS,
  )
  const colors = new Map(peers.map((name, i) => [name, PEER_COLORS[i % PEER_COLORS.length] ?? COLORS.dim]))
  const bottom = TOP + ratios.length * STEP
  const listed = values.map((row, i) => valueLine(row, bottom + 44 + i * STEP))
  const below = bottom + 44 + values.length * STEP
  const growth = growthPanel(report.rows, below)
  const body = [
    text(16, 24, `escrowfs bench: ${report.suite}`, { size: 16, weight: 'bold' }),
    text(16, 42, headline(report), { size: 11, color: COLORS.dim }),
    ...legend(colors),
    ...(ratios.length === 0 ? [] : axis(bottom)),
    ...ratios.flatMap((row, i) => ratioLine(row, TOP + (i + 0.5) * STEP, colors)),
    ...listed,
    ...growth.parts,
  ]
  return picture(body, below + growth.height + 8)
}

function picture(body: readonly string[], height: number): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif">`
  return [head, `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`, ...body, '</svg>', ''].join('\n')
}

function oursOf({ results }: Row) {
  return results.find(({ name }) => name === OURS)
}

function legend(colors: ReadonlyMap<string, string>): string[] {
  const parts = [
    ...[COLORS.met, COLORS.missed, COLORS.plain].map((color, i) => circle(22 + i * 12, 57, 5, color)),
    text(56, 61, `${OURS}: aim met, missed, none; the bar is the middle half of the samples`),
    line(520, 50, 520, 64, COLORS.aim, 2),
    text(528, 61, 'aim'),
  ]
  let x = 22
  for (const [name, color] of colors) {
    parts.push(circle(x, 76, 3.5, color, true), text(x + 8, 80, name))
    x += 28 + name.length * 6.4
  }
  return parts
}

function axis(bottom: number): string[] {
  const powers = Array.from({ length: TO - FROM + 1 }, (_, i) => FROM + i)
  return powers.flatMap((power) => {
    const x = xOf(10 ** power)
    const color = power === 0 ? COLORS.text : COLORS.grid
    return [
      line(x, TOP, x, bottom, color),
      text(x, bottom + 14, `${10 ** power}×`, { anchor: 'middle', color: COLORS.dim }),
    ]
  })
}

function ratioLine(row: Row, y: number, colors: ReadonlyMap<string, string>): string[] {
  const ours = oursOf(row)?.ratio
  if (!ours) return []
  const verdict = verdictOf(row)
  const color = verdict ? (verdict.met ? COLORS.met : COLORS.missed) : COLORS.plain
  const others = row.results.flatMap(({ name, ratio }) =>
    ratio && name !== OURS ? [circle(xOf(ratio.median), y, 3.5, colors.get(name) ?? COLORS.dim, true)] : [],
  )
  const aim = row.aim?.of === 'ratio' ? xOf(row.aim.atMost) : undefined
  const aimLabel = verdict && row.aim?.of === 'ratio' ? `, aim ${aimText(row)}` : ''
  return [
    text(LEFT - 12, y + 4, row.title, { anchor: 'end' }),
    line(LEFT, y, LEFT + PLOT, y, COLORS.grid),
    ...others,
    ...(aim === undefined ? [] : [line(aim, y - 8, aim, y + 8, COLORS.aim, 2)]),
    line(xOf(ours.low), y, xOf(ours.high), y, color, 3),
    circle(xOf(ours.median), y, 5, color),
    text(LEFT + PLOT + 12, y + 4, `${times(ours.median)}${aimLabel}`, { color }),
  ]
}

/** A line for a value that is not a ratio: a size, or an absolute time. */
function valueLine(row: Row, y: number): string {
  const verdict = verdictOf(row)
  if (!verdict) return ''
  const label = `${row.title}: ${quantity(verdict.value, row.unit)}, aim ${aimText(row)}`
  return text(16, y, label, { color: verdict.met ? COLORS.met : COLORS.missed })
}

/** The x position of a ratio. Ratios beyond the axis are drawn at its end. */
function xOf(ratio: number): number {
  const power = Math.min(TO, Math.max(FROM, Math.log10(ratio)))
  return LEFT + ((power - FROM) / (TO - FROM)) * PLOT
}
