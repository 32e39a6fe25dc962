import { html, raw } from 'hono/html'
import { defined } from '../core/defined.js'
import type { Change, ChangeSet, ChecklistItem, CheckReport, Intent, Review, Workspace } from '../index.js'
import {
  type Chapter,
  chaptersOf,
  describeRunInRows,
  flagReasons,
  foldReason,
  foldTitle,
  loadHighlighter,
  oneLine,
  printable,
  readSessionWork,
  rejectionLines,
  riskLines,
} from '../surface/index.js'
import { lineCounts } from './changes.js'
import { describeNoDiff } from './files.js'
import { highlightLines, rowsOf } from './lines.js'
import { STATIC_STYLE } from './static-style.js'
import type { DiffLine, Piece } from './wire.js'

/** Lines of one file on the page. The patches have all of them. */
const MAX_LINES = 5_000

type Html = ReturnType<typeof raw>
type Part = Html | string | number

/**
 * Renders a session's review as one HTML file without scripts, for somebody who has no escrowfs: the changes by risk, each with
 * its facts, verdicts and coloured lines, and the results of checks.
 * @param patches names of patch files beside it
 */
export async function renderStaticReview(
  workspace: Workspace,
  review: Review,
  patches: readonly string[],
): Promise<string> {
  const set = await review.changes({ risk: true })
  const work = readSessionWork(workspace.root, review.sessionId)
  const chapters = chaptersOf(set, 'risk', work)
  const ids = new Set(set.changes.flatMap(({ intentId }) => intentId ?? []))
  const intents = (await workspace.intents.list()).filter(({ id }) => ids.has(id))
  const runs = work.flatMap(({ kind, command, end }) =>
    kind === 'command' && command !== undefined ? [describeRunInRows({ command, ...defined({ end }) }).join('\n')] : [],
  )
  const sections: Html[] = []
  for (const chapter of chapters) sections.push(await renderChapter(review, chapter))
  const title = `Review of ${oneLine(review.sessionId)}`
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${raw(STATIC_STYLE)}</style>
</head>
<body>
<header><h1>${title}</h1>${renderTotals(set)}${intents.map(renderIntent)}</header>
${renderChecks(await review.checks())}${renderChecklist(await review.checklist())}${renderCommands(runs)}
${renderPatches(patches)}
<nav aria-label="Files"><h2>Files</h2>${list(set.changes.map(renderLink))}</nav>
<main>${sections}</main>
<footer>Change set ${set.digest}. The changes are staged: none of them is on disk.</footer>
</body>
</html>
`
  return page.toString()
}

/** A template whose values are escaped, except for those that are HTML already. */
function markup(strings: TemplateStringsArray, ...values: (Part | readonly Part[])[]): Html {
  const page = html(strings, ...values)
  if (page instanceof Promise) throw new TypeError('A value of the page is not text.')
  return page
}

const NOTHING = raw('')

function list(items: readonly Part[]): Html {
  return items.length === 0 ? NOTHING : markup`<ul>${items.map((item) => markup`<li>${item}</li>`)}</ul>`
}

function renderTotals({ changes }: ChangeSet): Html {
  const counts = changes.map(lineCounts)
  const [added, removed] = [sum(counts.map((each) => each.added)), sum(counts.map((each) => each.removed))]
  const states = (['approved', 'rejected', 'pending'] as const).flatMap((state) => {
    const count = changes.filter((change) => change.state === state).length
    return count === 0 ? [] : [markup` <span class="state ${state}">${count} ${state}</span>`]
  })
  return markup`<p>${changes.length} ${changes.length === 1 ? 'change' : 'changes'}, <span class="added">+${added}</span> <span class="removed">−${removed}</span>${states}</p>`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

function renderIntent({ id, name, ownedScope, constraints }: Intent): Html {
  const scope = ownedScope.length === 0 ? 'no scope' : ownedScope.map(oneLine).join(', ')
  return markup`<section class="intent"><h2>${oneLine(id)} ${oneLine(name)}</h2><p class="quiet">May change: ${scope}</p>${list(constraints.map(oneLine))}</section>`
}

function renderChecks({ checks }: CheckReport): Html {
  if (checks.length === 0) return NOTHING
  const items = checks.map(({ check, state, evidence }) => {
    const output = evidence === undefined || evidence.output === '' ? NOTHING : renderOutput(evidence.output)
    return markup`<span class="state ${state.replace(' ', '-')}">${state}</span> <code>${oneLine(check.run)}</code>${output}`
  })
  return markup`<section><h2>Checks</h2>${list(items)}</section>`
}

function renderOutput(output: string): Html {
  return markup`<details><summary>Output</summary><pre>${printable(output)}</pre></details>`
}

function renderChecklist(items: readonly ChecklistItem[]): Html {
  if (items.length === 0) return NOTHING
  const lines = items.map(({ criterion, ticked, by }) => {
    const who = by === undefined ? '' : ` (${oneLine(by.name)})`
    return markup`<span class="state ${ticked ? 'approved' : 'pending'}">${ticked ? 'ticked' : 'not ticked'}</span> ${oneLine(criterion)}${who}`
  })
  return markup`<section><h2>Acceptance</h2>${list(lines)}</section>`
}

function renderCommands(runs: readonly string[]): Html {
  if (runs.length === 0) return NOTHING
  const items = runs.map((run) => markup`<code class="code">${printable(run)}</code>`)
  return markup`<section><details><summary>Commands of the agent: ${runs.length}</summary>${list(items)}</details></section>`
}

function renderPatches(names: readonly string[]): Html {
  if (names.length === 0) return NOTHING
  const items = names.map((name) => markup`<a href="${encodeURIComponent(name)}">${name}</a>`)
  return markup`<section><h2>Patches</h2><p class="quiet">Apply them with <code>git am *.patch</code>.</p>${list(items)}</section>`
}

function renderLink(change: Change): Html {
  const { added, removed } = lineCounts(change)
  const counts = markup`<span class="added">+${added}</span> <span class="removed">−${removed}</span>`
  return markup`<a href="#${anchorOf(change)}">${nameOf(change)}</a> ${counts} ${renderState(change)}`
}

function renderState({ state, kind }: Change): Html {
  return markup`<span class="kind">${kind}</span> <span class="state ${state}">${state}</span>`
}

function nameOf({ path, from }: Change): string {
  return from === undefined ? oneLine(path) : `${oneLine(from)} → ${oneLine(path)}`
}

/** An id without characters that an address would change. */
function anchorOf({ path }: Change): string {
  return `file-${Buffer.from(path).toString('hex')}`
}

async function renderChapter(review: Review, { title, changes }: Chapter): Promise<Html> {
  const files: Html[] = []
  for (const change of changes) files.push(await renderFile(review, change))
  return markup`<section class="chapter"><h2>${oneLine(title)}</h2>${files}</section>`
}

async function renderFile(review: Review, change: Change): Promise<Html> {
  const facts = [...rejectionLines(change), ...riskLines(change), ...flagReasons(change)].map(oneLine)
  const folded = foldReason(change)
  const why = folded === undefined ? NOTHING : markup` <span class="quiet">${foldTitle(folded)}</span>`
  const body =
    change.hunks.length === 0
      ? markup`<p class="quiet">${describeNoDiff(change)}</p>`
      : await renderDiff(review, change)
  return markup`<details class="file" id="${anchorOf(change)}"${folded === undefined ? raw(' open') : NOTHING}>
<summary><span class="path">${nameOf(change)}</span> ${renderState(change)}${why}</summary>
${facts.length === 0 ? NOTHING : markup`<div class="facts">${list(facts)}</div>`}${body}
</details>`
}

async function renderDiff(review: Review, { path, from, hunks }: Change): Promise<Html> {
  const highlight = await loadHighlighter()
  const colours = {
    before: highlightLines(highlight, from ?? path, await review.content(path, 'before')),
    after: highlightLines(highlight, path, await review.content(path, 'after')),
  }
  // If all hunks have one verdict, the name of the file shows it.
  const isMixed = new Set(hunks.map(({ state }) => state)).size > 1
  const states = new Map(isMixed ? hunks.map(({ id, state }) => [id, state]) : [])
  const lines = rowsOf(hunks, colours).rows.unified.filter((row): row is DiffLine => 't' in row)
  const listed = lines.slice(0, MAX_LINES).map((line) => renderLine(line, states.get(line.hunk ?? '')))
  const remaining = lines.length - listed.length
  const more = remaining === 0 ? NOTHING : markup`<p class="quiet">${remaining} more lines are in the patches.</p>`
  return markup`<table class="diff"><tbody>${listed}</tbody></table>${more}`
}

const CLASSES = { '@': 'at', ' ': 'same', '+': 'plus', '-': 'minus', '\\': 'note' } as const

function renderLine({ t, o, n, s }: DiffLine, state: string | undefined): Html {
  const sign = t === '+' || t === '-' ? t : ' '
  const verdict = state === undefined ? NOTHING : markup` <span class="state ${state}">${state}</span>`
  return markup`<tr class="${CLASSES[t]}"><td class="number">${o ?? ''}</td><td class="number">${n ?? ''}</td><td class="code"><span class="sign">${sign}</span>${s.map(renderPiece)}${verdict}</td></tr>
`
}

function renderPiece(piece: Piece): Part {
  if (typeof piece === 'string') return piece
  const [text, kind, changed] = piece
  const name = kind === '' ? [] : [`t-${kind.replace(/[^a-z_-]/g, '')}`]
  return markup`<span class="${[...name, ...(changed ? ['word'] : [])].join(' ')}">${text}</span>`
}
