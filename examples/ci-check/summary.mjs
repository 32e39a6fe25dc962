/**
 * The report in markdown. Names come from the pull request: none can end its cell, make a link, or look like another.
 * @param {import('./check-ledger.mjs').Report} report
 */
export function renderSummary({ problems, notes, files, records, signed }) {
  const agents = files.filter(({ agent }) => agent > 0)
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  const written = agents.reduce((sum, file) => sum + file.agent, 0)
  const verdict = problems.length === 0 ? 'The ledger holds.' : 'The ledger does not hold.'
  const checked = `${counted(records, 'record')}${signed === 0 ? '' : `, ${counted(signed, 'checkpoint')} signed`}`
  return [
    '## Agents’ work in this pull request',
    '',
    `**${verdict}** ${checked}. Agents wrote ${written} of ${counted(lines, 'changed line')}.`,
    ...(problems.length === 0 ? [] : ['', ...problems.map((problem) => `- ❌ ${plain(problem)}`)]),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ⚠️ ${plain(note)}`)]),
    ...(agents.length === 0 ? [] : ['', ...table(agents)]),
    '',
  ].join('\n')
}

/** @param {import('./check-ledger.mjs').FileReport[]} files */
function table(files) {
  const named = (/** @type {Set<string>} */ names) => [...names].sort().map(plain).join(', ')
  return [
    '| file | lines | by agents | model | intent | approved by |',
    '| --- | ---: | ---: | --- | --- | --- |',
    ...files.map(
      ({ path, lines, agent, models, intents, approvers }) =>
        `| ${[plain(path), lines, agent, named(models), named(intents), named(approvers)].join(' | ')} |`,
    ),
  ]
}

/** @param {number} count @param {string} one */
function counted(count, one) {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/** @param {string} text */
function plain(text) {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .replace(/[\\`*_{}[\]()#+!|~@$:]/g, (mark) => `\\${mark}`)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
}
