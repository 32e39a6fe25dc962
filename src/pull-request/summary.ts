import type { FileReport, PullRequestReport } from './check.js'
import { problemsOf } from './problems.js'

/** The report in two sentences: the verdict, and the checks that it is based on. */
export function headlineOf(report: PullRequestReport): { readonly verdict: string; readonly checked: string } {
  const { files, records, signed } = report
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  const written = files.reduce((sum, file) => sum + file.agent, 0)
  const isPassed = problemsOf(report).length === 0
  const verdict = isPassed ? 'Every line of an agent is approved.' : 'This pull request does not pass.'
  const chain = `${pluralize(records, 'record')}${signed === 0 ? '' : `, ${pluralize(signed, 'checkpoint')} signed`}`
  return { verdict, checked: `${chain}. Agents wrote ${written} of ${pluralize(lines, 'changed line')}.` }
}

/** Renders a report as Markdown. Names come from the pull request, so they are escaped: none can end its cell, make a link, or look like another. */
export function renderSummary(report: PullRequestReport): string {
  const { notes, files } = report
  const problems = problemsOf(report)
  const agents = files.filter(({ agent }) => agent > 0)
  const { verdict, checked } = headlineOf(report)
  return [
    '## Agents’ work in this pull request',
    '',
    `**${verdict}** ${checked}`,
    ...(problems.length === 0 ? [] : ['', ...problems.map((problem) => `- ❌ ${escapeMarkdown(problem)}`)]),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ⚠️ ${escapeMarkdown(note)}`)]),
    ...(agents.length === 0 ? [] : ['', ...table(agents)]),
    '',
  ].join('\n')
}

function table(files: readonly FileReport[]): string[] {
  const joinNames = (names: ReadonlySet<string>) => [...names].sort().map(escapeMarkdown).join(', ')
  return [
    '| file | lines | by agents | model | intent | approved by |',
    '| --- | ---: | ---: | --- | --- | --- |',
    ...files.map(
      ({ path, lines, agent, models, intents, approvers }) =>
        `| ${[escapeMarkdown(path), lines, agent, joinNames(models), joinNames(intents), joinNames(approvers)].join(' | ')} |`,
    ),
  ]
}

function pluralize(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/** Escapes a text. A colon before white space begins neither an address nor an emoji. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .replace(/[\\`*_{}[\]()#+!|~@$]|:(?=\S)/g, (mark) => `\\${mark}`)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
}
