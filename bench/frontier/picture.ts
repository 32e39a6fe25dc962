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
const TOP = 60
const SIZE = 360

/** Draws a scatter plot: the share of benign work preserved (y) against the share of harm prevented (x). The top right corner is best. */
export function picture(points: readonly Point[]): string {
  const x = (percent: number) => LEFT + (percent / 100) * SIZE
  const y = (percent: number) => TOP + SIZE - (percent / 100) * SIZE
  const grid = [0, 25, 50, 75, 100].flatMap((percent) => [
    line(x(percent), TOP, x(percent), TOP + SIZE, COLORS.grid),
    line(LEFT, y(percent), LEFT + SIZE, y(percent), COLORS.grid),
    text(x(percent), TOP + SIZE + 16, `${percent} %`, { anchor: 'middle', color: COLORS.dim }),
    text(LEFT - 8, y(percent) + 4, `${percent} %`, { anchor: 'end', color: COLORS.dim }),
  ])
  const marks = points.flatMap(({ name, preserved, prevented, questions }, at) => {
    const color = name.startsWith('escrowfs') ? COLORS.met : COLORS.plain
    const row = TOP + 20 + at * 20
    const label = `${name}: ${preserved.toFixed(1)} % preserved, ${prevented.toFixed(1)} % prevented, ${questions.toFixed(2)} questions`
    return [
      circle(x(prevented), y(preserved), 5, color),
      circle(LEFT + SIZE + 40, row - 4, 4, color),
      text(LEFT + SIZE + 52, row, label),
    ]
  })
  const body = [
    text(16, 24, 'Benign work preserved (up), harm prevented (right)', { size: 16, weight: 'bold' }),
    text(16, 42, 'By effects, in a replay: it cannot show how a live model reacts to a refusal.', {
      color: COLORS.dim,
    }),
    ...grid,
    ...marks,
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
