import { html, raw } from 'hono/html'
import { COMMAND_CLASSES } from '../core/command-class.js'
import { oneLine } from '../core/printable.js'
import { OUTCOMES } from './replay.js'
import { REPORT_STYLE } from './report-style.js'
import { count, decimal, networkWords, number, percent } from './report-text.js'
import type { BacktestReport, Listed, RuleReport, SessionReport } from './tally.js'

type Html = ReturnType<typeof raw>
type Part = Html | string | number

/** The report as one page without scripts; it loads nothing. */
export function renderPage(report: BacktestReport): string {
  const { calls, read, sessions } = report
  const title = 'What escrow would have done'
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${raw(REPORT_STYLE)}</style>
</head>
<body>
<header><h1>${title}</h1>
<p class="quiet">${count(calls.all, 'tool call')} of ${count(sessions.length, 'session')} in ${count(read.files, 'file')}; ${count(read.broken, 'broken line')}, ${count(read.repeated, 'repeated call')} left out. Nothing was run.</p></header>
<main>
${outcomes(report)}
${figures(report)}
${rules(report.rules)}
${classes(report)}
${perSession(report)}
${list('Secrets named', report.secrets)}
${list('Writes outside the workspace', report.outside)}
${list('Deletions', report.deletions)}
${sessionTable(sessions)}
</main>
<footer>A replay shows how the rules decide about calls that were made. It cannot show what a model does after a refusal.</footer>
</body>
</html>
`.toString()
}

/** A template whose values are escaped, except for those that are HTML already. */
function markup(strings: TemplateStringsArray, ...values: (Part | readonly Part[])[]): Html {
  const result = html(strings, ...values)
  if (result instanceof Promise) throw new TypeError('A value of the page is not text.')
  return result
}

const NOTHING = raw('')
const WORDS = {
  allowed: 'nothing to review',
  staged: 'wait for the review',
  asked: 'ask you first',
  refused: 'do not run, or leave .git as it is',
} as const

/** One bar of all calls, divided by outcome, with a legend. */
function outcomes({ calls }: BacktestReport): Html {
  const shown = OUTCOMES.filter((each) => calls[each] > 0)
  const parts = shown.map(
    (each) =>
      markup`<span class="${each}" style="flex-grow:${calls[each]}" title="${each} ${number(calls[each])}"></span>`,
  )
  const legend = OUTCOMES.map(
    (each) =>
      markup`<li><span class="key ${each}"></span><b>${number(calls[each])}</b> ${each} <span class="quiet">${percent(calls[each], calls.all)}, ${WORDS[each]}</span></li>`,
  )
  return markup`<section><h2>Calls</h2><div class="stack" role="img" aria-label="${shown.map((each) => `${each} ${calls[each]}`).join(', ')}">${parts}</div><ul class="legend">${legend}</ul></section>`
}

function figures({ prompts, review, sessions }: BacktestReport): Html {
  const cards = [
    [decimal(prompts.mean), 'questions in a session', `at most ${prompts.max}`],
    [
      percent(prompts.sessionsWithout, sessions.length),
      'of sessions without a question',
      count(prompts.total, 'question'),
    ],
    [decimal(review.mean), 'files in a review', `${review.p95} or fewer in 95 of 100`],
  ] as const
  return markup`<section class="figures">${cards.map(
    ([value, words, more]) => markup`<div><b>${value}</b><span>${words}</span><span class="quiet">${more}</span></div>`,
  )}</section>`
}

function rules(all: readonly RuleReport[]): Html {
  if (all.length === 0) return markup`<section><h2>Asked and refused</h2><p>None.</p></section>`
  const rows = all.map(
    ({ rule, outcome, count: n, examples }) =>
      markup`<tr><td><span class="key ${outcome}"></span>${outcome}</td><td>${oneLine(rule)}</td><td class="n">${number(n)}</td><td><ul class="plain">${examples.map((each) => markup`<li><code>${oneLine(each)}</code></li>`)}</ul></td></tr>`,
  )
  return markup`<section><h2>Asked and refused, by rule</h2><div class="wide"><table><thead><tr><th>Outcome</th><th>Rule</th><th class="n">Calls</th><th>For example</th></tr></thead><tbody>${rows}</tbody></table></div></section>`
}

function classes(report: BacktestReport): Html {
  const rows = COMMAND_CLASSES.map((name) => [name, report.classes[name]] as const)
  return markup`${bars('Commands, by class', rows)}<p class="quiet">${networkWords(report)}</p>`
}

/** How many sessions have how many questions, and how many files in their review. */
function perSession({ sessions }: BacktestReport): Html {
  return markup`${bars('Sessions, by questions', histogram(sessions.map(({ prompts }) => prompts)))}${bars('Sessions, by files in the review', histogram(sessions.map(({ files }) => files)))}`
}

const STEPS = [0, 1, 2, 5, 10, 20, 50] as const

/** Steps beyond the highest number are left out. */
function histogram(numbers: readonly number[]): (readonly [string, number])[] {
  const highest = numbers.reduce((most, each) => Math.max(most, each), 0)
  return STEPS.filter((from) => from <= highest).map((from, at) => {
    const to = STEPS[at + 1]
    const name = to === undefined ? `${from} or more` : to === from + 1 ? `${from}` : `${from} to ${to - 1}`
    return [name, numbers.filter((each) => each >= from && (to === undefined || each < to)).length] as const
  })
}

function bars(title: string, rows: readonly (readonly [string, number])[]): Html {
  const most = Math.max(1, ...rows.map(([, n]) => n))
  const lines = rows.map(
    ([name, n]) =>
      markup`<tr><th scope="row">${name}</th><td class="n">${number(n)}</td><td class="bar"><span style="width:${((100 * n) / most).toFixed(1)}%"></span></td></tr>`,
  )
  return markup`<section><h2>${title}</h2><table class="bars"><tbody>${lines}</tbody></table></section>`
}

function list(title: string, { total, first }: Listed): Html {
  if (total === 0) return markup`<section><h2>${title}</h2><p>None.</p></section>`
  const rows = first.map(
    ({ name, count: n }) => markup`<tr><td class="n">${number(n)}</td><td><code>${oneLine(name)}</code></td></tr>`,
  )
  const remaining = total - first.reduce((sum, each) => sum + each.count, 0)
  const more =
    remaining > 0 ? markup`<tr><td class="n">${number(remaining)}</td><td class="quiet">others</td></tr>` : NOTHING
  return markup`<section><details${first.length <= 5 ? raw(' open') : NOTHING}><summary><h2>${title}: ${number(total)}</h2></summary><table><tbody>${rows}${more}</tbody></table></details></section>`
}

const MAX_SESSIONS = 200

function sessionTable(sessions: readonly SessionReport[]): Html {
  const rank = ({ prompts, calls }: SessionReport) => prompts * 1_000_000 + calls.refused
  const shown = [...sessions].sort((a, b) => rank(b) - rank(a)).slice(0, MAX_SESSIONS)
  const rows = shown.map(
    ({ id, host, directory, calls, prompts, files, commands }) =>
      markup`<tr><td>${host}</td><td><code>${oneLine(id)}</code><br><span class="quiet">${oneLine(directory)}</span></td>${[calls.allowed, calls.staged, calls.asked, calls.refused, prompts, files, commands].map((n) => markup`<td class="n">${number(n)}</td>`)}</tr>`,
  )
  const heads = ['Allowed', 'Staged', 'Asked', 'Refused', 'Questions', 'Files', 'Commands']
  return markup`<section><details><summary><h2>Sessions: ${number(sessions.length)}</h2></summary><div class="wide"><table><thead><tr><th>Client</th><th>Session</th>${heads.map((each) => markup`<th class="n">${each}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details></section>`
}
