import { printable } from '../core/printable.js'
import type { Figures, Proposal } from './propose.js'
import { count, decimal, number, percent } from './report-text.js'

/** A proposal for a terminal: the diffs, then the figures on the sessions that it was not learned from. */
export function renderProposal({ learned, diffs, before, after }: Proposal): string {
  const diff = `${diffs.policy}${diffs.intents}`
  if (diff === '') return `Nothing to propose.\n\n${figures(before, after)}`
  return [
    printable(diff),
    '\n',
    figures(before, after),
    ...(learned.classes.includes('other') ? [`\n${OTHER}\n`] : []),
    '\nIt opens no deletion, no network, no secret, no path outside and no file of CI or hooks. Nothing was written.\n',
  ].join('')
}

const OTHER = '`other` are commands that no line can judge: they stay contained, and the review shows their changes.'

function figures(before: Figures, after: Figures): string {
  const rows = [
    ['', 'now', 'proposed'],
    ['questions', number(before.prompts), number(after.prompts)],
    ['in a session', decimal(before.promptsPerSession), decimal(after.promptsPerSession)],
    ['refused', share(before, 'refused'), share(after, 'refused')],
    ['staged', share(before, 'staged'), share(after, 'staged')],
  ] as const
  const lines = rows.map(([name, now, then]) => `  ${name.padEnd(14)}${now.padStart(16)}${then.padStart(16)}\n`)
  return `On ${count(before.sessions, 'other session')}:\n${lines.join('')}`
}

function share({ calls }: Figures, outcome: 'refused' | 'staged'): string {
  return `${number(calls[outcome])} (${percent(calls[outcome], calls.all)})`
}
