/**
 * Renders the report as Markdown. Names come from the pull request, so they are escaped: none can end its cell, make a link, or look like another.
 * @param {import('./check-ledger.mjs').Report} report
 */
export function renderSummary({ problems, notes, files, records, signed }) {
  const agents = files.filter(({ agent }) => agent > 0)
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  const written = agents.reduce((sum, file) => sum + file.agent, 0)
  const verdict = problems.length === 0 ? 'The ledger holds.' : 'The ledger does not hold.'
  const checked = `${pluralize(records, 'record')}${signed === 0 ? '' : `, ${pluralize(signed, 'checkpoint')} signed`}`
  return [
    '## Agents’ work in this pull request',
    '',
    `**${verdict}** ${checked}. Agents wrote ${written} of ${pluralize(lines, 'changed line')}.`,
    ...(problems.length === 0 ? [] : ['', ...problems.map((problem) => `- ❌ ${escapeMarkdown(problem)}`)]),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ⚠️ ${escapeMarkdown(note)}`)]),
    ...(agents.length === 0 ? [] : ['', ...table(agents)]),
    '',
  ].join('\n')
}

/** @param {import('./check-ledger.mjs').FileReport[]} files */
function table(files) {
  const joinNames = (/** @type {Set<string>} */ names) => [...names].sort().map(escapeMarkdown).join(', ')
  return [
    '| file | lines | by agents | model | intent | approved by |',
    '| --- | ---: | ---: | --- | --- | --- |',
    ...files.map(
      ({ path, lines, agent, models, intents, approvers }) =>
        `| ${[escapeMarkdown(path), lines, agent, joinNames(models), joinNames(intents), joinNames(approvers)].join(' | ')} |`,
    ),
  ]
}

/** @param {number} count @param {string} one */
function pluralize(count, one) {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/** @param {string} text */
function escapeMarkdown(text) {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .replace(/[\\`*_{}[\]()#+!|~@$:]/g, (mark) => `\\${mark}`)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
}
