import type { FileReport, PullRequestReport } from '../pull-request/index.js'
import { table } from './output.js'

/**
 * Renders the report on a pull request for a terminal or a log. The Markdown of a summary has escapes, which nobody wants to read there.
 * @param parts of the report, from the room that made it, which this module does not load
 */
export function renderCiReport(
  { notes, files }: PullRequestReport,
  {
    headline,
    problems,
  }: { readonly headline: { verdict: string; checked: string }; readonly problems: readonly string[] },
): string {
  const rows = [...problems.map((text) => ['problem', text]), ...notes.map((text) => ['note', text])]
  const agents = files.filter(({ agent }) => agent > 0)
  return [
    `${headline.verdict} ${headline.checked}\n`,
    table(rows),
    agents.length === 0 ? '' : table([HEADINGS, ...agents.map(rowOf)]),
  ].join('')
}

const HEADINGS = ['file', 'lines', 'by agents', 'model', 'intent', 'approved by']

function rowOf({ path, lines, agent, models, intents, approvers }: FileReport): string[] {
  return [
    path,
    String(lines),
    String(agent),
    ...[models, intents, approvers].map((names) => [...names].sort().join(', ')),
  ]
}
