import { quantity, type Row } from './report.js'
import { COLORS, circle, line, text } from './svg.js'

/** A chart of cost by size: of a stage, a workspace, or whatever a row varies. Both axes are logarithmic, so that constant cost is a flat line. */

const LEFT = 90
const PLOT_WIDTH = 330
const PLOT_HEIGHT = 150
const LINES = ['#0969da', '#8250df', '#bf8700', '#1b7c83', '#e85aad', '#6e7781']

export interface Panel {
  readonly parts: readonly string[]
  readonly height: number
}

export function growthPanel(rows: readonly Row[], top: number): Panel {
  const growthRows = rows.filter(({ growth }) => growth)
  const points = growthRows.flatMap(({ growth }) => growth?.points ?? [])
  if (points.length === 0) return { parts: [], height: 0 }
  const x = scale(
    points.map(({ size }) => size),
    LEFT,
    LEFT + PLOT_WIDTH,
  )
  const bottom = top + 24 + PLOT_HEIGHT
  const y = scale(
    points.map(({ cost }) => cost),
    bottom,
    top + 24,
  )
  const marks = x.powers.map((size) =>
    text(x.at(size), bottom + 16, size.toLocaleString('en'), { anchor: 'middle', color: COLORS.dim }),
  )
  const levels = y.powers.flatMap((cost) => [
    line(LEFT, y.at(cost), LEFT + PLOT_WIDTH, y.at(cost), COLORS.grid),
    text(LEFT - 8, y.at(cost) + 4, quantity(cost, 'ns'), { anchor: 'end', color: COLORS.dim }),
  ])
  const curves = growthRows.flatMap((row, i) =>
    curve(row, LINES[i % LINES.length] ?? COLORS.dim, x, y, top + 40 + i * 20),
  )
  const title = text(16, top + 8, 'Cost by size, both logarithmic', { weight: 'bold' })
  return { parts: [title, ...levels, ...marks, ...curves], height: 24 + PLOT_HEIGHT + 28 }
}

function curve({ title, growth }: Row, color: string, x: Scale, y: Scale, labelY: number): string[] {
  if (!growth) return []
  const points = growth.points.map(({ size, cost }) => ({ x: x.at(size), y: y.at(cost) }))
  const segments = points.slice(1).map((to, i) => {
    const from = points[i] ?? to
    return line(from.x, from.y, to.x, to.y, color, 2)
  })
  const label = `${title.replace('as the stage grows: ', '')}: size^${growth.exponent.toFixed(2)}`
  const labelX = LEFT + PLOT_WIDTH + 30
  return [
    ...segments,
    ...points.map((place) => circle(place.x, place.y, 3, color)),
    circle(labelX, labelY - 4, 4, color),
    text(labelX + 10, labelY, label),
  ]
}

interface Scale {
  at(value: number): number
  /** The powers of ten that enclose all values. */
  readonly powers: readonly number[]
}

function scale(values: readonly number[], from: number, to: number): Scale {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  return {
    at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
    powers: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
  }
}
