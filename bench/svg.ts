/** The SVG elements of the charts. */

export const WIDTH = 1_000

export const COLORS = {
  text: '#1f2328',
  dim: '#59636e',
  grid: '#d8dee4',
  aim: '#1f2328',
  met: '#1a7f37',
  missed: '#cf222e',
  /** Our result in a row without an aim. */
  plain: '#0969da',
}

export interface TextStyle {
  readonly size?: number
  readonly color?: string
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly weight?: 'bold'
}

export function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { size = 11, color = COLORS.text, anchor = 'start', weight } = style
  const bold = weight === undefined ? '' : ` font-weight="${weight}"`
  const place = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"`
  return `<text ${place} font-size="${size}" fill="${color}"${bold}>${escapeXml(content)}</text>`
}

export function line(x1: number, y1: number, x2: number, y2: number, color: string, width = 1): string {
  const ends = `x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`
  return `<line ${ends} stroke="${color}" stroke-width="${width}"/>`
}

export function circle(x: number, y: number, radius: number, color: string, hollow = false): string {
  const paint = hollow ? `fill="#ffffff" stroke="${color}" stroke-width="1.5"` : `fill="${color}"`
  return `<circle cx="${round(x)}" cy="${round(y)}" r="${radius}" ${paint}/>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escapeXml(content: string): string {
  return content.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
