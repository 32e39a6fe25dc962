import type { PullRequestReport } from './check.js'
import { holds } from './problems.js'

const LABEL = 'agent lines'
/** Pixels of a character at 11 px, wide enough for every font. */
const CHARACTER = 7
const PADDING = 10

/** A badge as an SVG file: how many lines of agents are approved. */
export function badge(report: PullRequestReport): string {
  const agent = report.files.reduce((sum, file) => sum + file.agent, 0)
  const unapproved = report.files.reduce((sum, file) => sum + file.unapproved.length, 0)
  const isGood = holds(report)
  const text = isGood ? `${agent} approved` : report.problems.length > 0 ? 'ledger broken' : `${unapproved} unapproved`
  const [left, right] = [LABEL, text].map((each) => each.length * CHARACTER + PADDING) as [number, number]
  const colour = isGood ? '#2f7d3b' : '#b3261e'
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${LABEL}: ${text}">` +
    `<title>${LABEL}: ${text}</title>` +
    `<rect width="${left}" height="20" fill="#4a4f57"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/>` +
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">` +
    `<text x="${left / 2}" y="14">${LABEL}</text><text x="${left + right / 2}" y="14">${text}</text></g></svg>\n`
  )
}
