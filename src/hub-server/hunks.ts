import { html } from 'hono/html'
import { oneLine, printable } from '../core/printable.js'
import { describeMissing, type HunkState, type SubmittedChange } from '../hub/index.js'
import type { ShownHunk } from './shown.js'

type Page = ReturnType<typeof html>

/** The verdict on a change or a hunk, by whom and why; nothing without one. */
export function renderState({
  verdict,
  reviewer,
  reason,
}: Pick<SubmittedChange, 'verdict' | 'reviewer' | 'reason'>): Page | '' {
  if (verdict === undefined) return ''
  const why = reason === undefined ? '' : `: ${oneLine(reason)}`
  return html`<span class="state ${verdict}">${verdict} by ${oneLine(reviewer ?? '')}${why}</span>`
}

/** The hunks of a change. If there are several that can be decided one by one, each has a checkbox. */
export function renderHunks(
  change: SubmittedChange,
  hunks: readonly ShownHunk[],
  name: string,
  isOpen: boolean,
): Page | '' {
  const states = new Map((change.hunks ?? []).map((state) => [state.id, state]))
  return html`${hunks.map(({ id, lines }, at) => {
    const title = `Hunk ${at + 1} of ${hunks.length}`
    const head = id === undefined || hunks.length === 1 ? '' : renderHead(change.key, id, title, states.get(id), isOpen)
    return html`${head}<pre tabindex="0" aria-label="${title} of ${name}">${lines.map(renderLine)}</pre>`
  })}`
}

function renderHead(key: string, id: string, title: string, state: HunkState | undefined, isOpen: boolean): Page {
  const name = `${key}-${id}`
  const box = isOpen ? html`<input type="checkbox" name="hunk" value="${key} ${id}" id="${name}">` : ''
  const lacks = state === undefined || state.verdict === 'approved' ? '' : describeMissing(state)
  return html`<h3>${box}<label for="${name}">${title}</label> ${state === undefined ? '' : renderState(state)}
<span class="quiet">${lacks}</span></h3>`
}

function renderLine(line: string): Page {
  const kinds: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '@': 'at' }
  return html`<span class="${kinds[line[0] ?? ''] ?? 'same'}">${printable(line)}
</span>`
}
