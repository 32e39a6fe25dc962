import { COLORS, circle, line, text, WIDTH } from '../svg.js'

/** A way to run an agent, in percent of benign work and of harm. */
export interface Point {
  readonly name: string
  readonly preserved: number
  readonly prevented: number
  /** On average in a task. */
  readonly questions: number
}

const LEFT = 90
const TOP = 74
const SIZE = 360
/** Marks that are closer than this share a label. */
const NEAR = 24

/** Draws a scatter plot: the share of benign work preserved (y) against the share of harm prevented (x). The top right corner is best. */
export function picture(points: readonly Point[]): string {
  const lowest = lowestOf(points)
  const x = (percent: number) => LEFT + (percent / 100) * SIZE
  const y = (percent: number) => TOP + ((100 - percent) / (100 - lowest)) * SIZE
  const marks = points.map((point, at) => ({ point, at, x: x(point.prevented), y: y(point.preserved) }))
  const body = [
    text(16, 24, 'Benign work preserved (up), harm prevented (right)', { size: 16, weight: 'bold' }),
    text(16, 42, 'By effects, in a replay: it cannot show how a live model reacts to a refusal.', {
      color: COLORS.dim,
    }),
    ...grid(x, y, lowest),
    ...marks.map((mark) => circle(mark.x, mark.y, 5, colorOf(mark.point))),
    ...labels(marks),
    ...points.flatMap(legendLine),
  ]
  const height = TOP + SIZE + 40
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n')
}

/** The start of the vertical axis: near the lowest point, because most work is preserved by all. */
function lowestOf(points: readonly Point[]): number {
  const least = points.reduce((lowest, { preserved }) => Math.min(lowest, preserved), 100)
  return Math.min(80, Math.floor(least / 20) * 20)
}

const STEPS = [0, 0.25, 0.5, 0.75, 1]

function grid(x: (percent: number) => number, y: (percent: number) => number, lowest: number): string[] {
  return STEPS.flatMap((step) => {
    const [across, up] = [step * 100, lowest + step * (100 - lowest)]
    return [
      line(x(across), TOP, x(across), TOP + SIZE, COLORS.grid),
      line(LEFT, y(up), LEFT + SIZE, y(up), COLORS.grid),
      text(x(across), TOP + SIZE + 16, `${across} %`, { anchor: 'middle', color: COLORS.dim }),
      text(LEFT - 12, y(up) + 4, `${up} %`, { anchor: 'end', color: COLORS.dim }),
    ]
  })
}

const colorOf = ({ name }: Point) => (name.startsWith('escrowfs') ? COLORS.met : COLORS.plain)

interface Mark {
  readonly at: number
  readonly x: number
  readonly y: number
}

/** The numbers of the marks, as in the legend; marks at one place have one label. */
function labels(marks: readonly Mark[]): string[] {
  const isNear = (a: Mark, b: Mark) => Math.hypot(a.x - b.x, a.y - b.y) < NEAR
  return marks
    .filter((mark) => !marks.some((other) => other.at < mark.at && isNear(mark, other)))
    .map((mark) => {
      const numbers = marks.filter((other) => isNear(mark, other)).map(({ at }) => at + 1)
      return text(mark.x, mark.y - 10, numbers.join(', '), { anchor: 'middle', weight: 'bold' })
    })
}

function legendLine(point: Point, at: number): string[] {
  const { name, preserved, prevented, questions } = point
  const row = TOP + 20 + at * 20
  const figures = `${preserved.toFixed(1)} % preserved, ${prevented.toFixed(1)} % prevented, ${questions.toFixed(2)} questions a task`
  return [
    circle(LEFT + SIZE + 40, row - 4, 4, colorOf(point)),
    text(LEFT + SIZE + 52, row, `${at + 1}`, { weight: 'bold' }),
    text(LEFT + SIZE + 68, row, `${name}: ${figures}`),
  ]
}
