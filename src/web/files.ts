import { createHash } from 'node:crypto'
import { defined } from '../core/defined.js'
import type { Change, Review } from '../index.js'
import { loadHighlighter } from '../surface/index.js'
import { BadRequest } from './failure.js'
import { type Gap, gapsOf, plainLines } from './gaps.js'
import { imageType } from './images.js'
import { type Colours, highlightLines, pieces, type Rows, rowsOf, searchText } from './lines.js'
import { blocksOf } from './markers.js'
import { changeOf, type ReviewHandle, stagedContent } from './review-handle.js'
import type { DiffLine, Layout, WireContext, WireFile, WireMatches, WireRows, WireText } from './wire.js'

/** How many rows are cached, over all files. */
const MAX_CACHED_ROWS = 150_000
/** Rows in one response. */
const ROWS_PER_PAGE = 1_000
/** Most bytes of a text that can be edited on the page. */
const MAX_EDITABLE_BYTES = 1024 * 1024

/** An unchanged line between two changes of a hunk. */
const INNER_CONTEXT = /^[+-].*\n(?: .*\n)+[+-]/m

interface RenderedFile extends Rows {
  readonly size: number
  /** Empty if the diff has no gaps, or the new text cannot be split into lines. */
  readonly gaps: readonly Gap[]
  /** The new text with its colours, if there are gaps. */
  readonly lines: readonly string[]
  readonly colours: Colours['after']
}

/** The page's views of single files. Rendered rows are cached up to a limit. */
export class Files {
  readonly #rendered = new Map<string, Promise<RenderedFile>>()
  #cachedRows = 0

  /** The header of a file's view. */
  async file(handle: ReviewHandle, path: string, mark: string): Promise<WireFile> {
    const change = changeOf(await handle.displayed(), path, mark)
    const review = await handle.review()
    const images = await imagesOf(review, change)
    // An image of a text with more than the image shows, such as an SVG, is shown next to the text.
    if (images !== undefined && change.hunks.length === 0)
      return { mark, shows: 'image', hunks: [], total: { unified: 0, split: 0 }, gaps: [], editable: false, images }
    const { rows, at, gaps } = await this.#rows(handle, change, mark)
    const conflict = await conflictOf(review, change)
    const why = change.hunks.length > 0 ? undefined : describeNoDiff(change)
    return {
      mark,
      shows: why === undefined ? 'text' : 'nothing',
      hunks: change.hunks.map(({ id, state, text, newStart }) => ({
        id,
        state,
        divisible: change.kind === 'modify' && INNER_CONTEXT.test(text),
        line: firstChangedLine(text, newStart),
        at: at.get(id) ?? { unified: 0, split: 0 },
      })),
      total: { unified: rows.unified.length, split: rows.split.length },
      gaps: gaps.map(({ lines }) => lines),
      editable: isEditable(change),
      ...defined({ why, conflict, images }),
    }
  }

  async rows(handle: ReviewHandle, path: string, mark: string, layout: Layout, from: number): Promise<WireRows> {
    const change = changeOf(await handle.displayed(), path, mark)
    const { rows } = await this.#rows(handle, change, mark)
    return { mark, from, rows: rows[layout].slice(from, from + ROWS_PER_PAGE) }
  }

  /** Returns unchanged lines of a gap, which the diff leaves out. */
  async context(handle: ReviewHandle, path: string, mark: string, at: GapPart): Promise<WireContext> {
    const change = changeOf(await handle.displayed(), path, mark)
    const { gaps, lines, colours } = await this.#rows(handle, change, mark)
    const gap = gaps[at.gap]
    if (gap === undefined) throw new BadRequest('These lines are not hidden any more. Reload the page.')
    const first = gap.fresh + at.from
    const last = Math.min(first + Math.min(at.count, ROWS_PER_PAGE), gap.fresh + gap.lines)
    const found: DiffLine[] = lines.slice(first, last).map((line, index) => ({
      t: ' ',
      o: gap.old + at.from + index + 1,
      n: first + index + 1,
      s: pieces(line, colours?.[first + index], []),
    }))
    return { mark, lines: found }
  }

  /** Finds the rows that contain a text, ignoring case. */
  async matches(
    handle: ReviewHandle,
    path: string,
    mark: string,
    { layout, text }: { readonly layout: Layout; readonly text: string },
  ): Promise<WireMatches> {
    const change = changeOf(await handle.displayed(), path, mark)
    const { rows } = await this.#rows(handle, change, mark)
    const wanted = text.toLowerCase()
    const found = rows[layout].flatMap((row, index) => (searchText(row).includes(wanted) ? [index] : []))
    return { mark, rows: wanted === '' ? [] : found.slice(0, ROWS_PER_PAGE) }
  }

  /** Returns both sides as text, for an edit or a conflict. */
  async text(handle: ReviewHandle, path: string, mark: string): Promise<WireText> {
    const change = changeOf(await handle.displayed(), path, mark)
    const review = await handle.review()
    const [before, after] = [textOf(await review.content(path, 'before')), textOf(await stagedContent(review, change))]
    changeOf(await handle.current(), change.path, mark)
    return { mark, ...defined({ before, after }) }
  }

  #rows(handle: ReviewHandle, change: Change, mark: string): Promise<RenderedFile> {
    const key = `${mark} ${change.hunks.map(({ id }) => id).join('')}`
    const known = this.#rendered.get(key)
    if (known !== undefined) {
      this.#rendered.delete(key)
      this.#rendered.set(key, known)
      return known
    }
    const rendering = render(handle, change)
    this.#rendered.set(key, rendering)
    rendering.then(
      ({ size }) => this.#evict(size),
      () => this.#rendered.delete(key),
    )
    return rendering
  }

  async #evict(size: number): Promise<void> {
    this.#cachedRows += size
    for (const [key, made] of this.#rendered) {
      if (this.#cachedRows <= MAX_CACHED_ROWS || this.#rendered.size === 1) return
      this.#rendered.delete(key)
      this.#cachedRows -= (await made).size
    }
  }
}

/** The requested lines of a gap; `from` counts from its first line. */
export interface GapPart {
  readonly gap: number
  readonly from: number
  readonly count: number
}

/** The first changed line of a hunk, after its unchanged lines. */
function firstChangedLine(text: string, start: number): number {
  const lines = text.split('\n').slice(1)
  return (
    start +
    Math.max(
      0,
      lines.findIndex((line) => !line.startsWith(' ')),
    )
  )
}

async function render(handle: ReviewHandle, change: Change): Promise<RenderedFile> {
  const { path, from, hunks } = change
  const review = await handle.review()
  const highlight = await loadHighlighter()
  const read = (side: 'before' | 'after') => (hunks.length === 0 ? undefined : review.content(path, side))
  const [before, after] = [await read('before'), await read('after')]
  const colours = {
    before: highlightLines(highlight, from ?? path, before),
    after: highlightLines(highlight, path, after),
  }
  const rows = rowsOf(hunks, colours)
  const lines =
    hasGaps(change) && after !== undefined && isDisplayedText(change, after) ? linesOfText(after) : undefined
  return {
    ...rows,
    size: rows.rows.unified.length + rows.rows.split.length + (lines?.length ?? 0),
    gaps: lines === undefined ? [] : gapsOf(hunks, lines.length),
    lines: lines ?? [],
    colours: colours.after,
  }
}

/** Whether the diff can leave lines out. The diff of a created or deleted file has every line. */
function hasGaps({ kind, hunks }: Change): boolean {
  return hunks.length > 0 && kind !== 'create' && kind !== 'delete'
}

/** Whether the content is the displayed one. The agent may have written since, and then the gaps have other lines. */
function isDisplayedText({ after }: Change, content: Uint8Array): boolean {
  return after === `sha256:${createHash('sha256').update(content).digest('hex')}`
}

/** Splits a text into lines; undefined if the hunks may have been split otherwise. */
function linesOfText(content: Uint8Array): string[] | undefined {
  const text = new TextDecoder().decode(content)
  return text.includes('\uFFFD') ? undefined : plainLines(text)
}

async function imagesOf(review: Review, { path, flags }: Change): Promise<WireFile['images']> {
  if (!flags.includes('binary') && !path.toLowerCase().endsWith('.svg')) return undefined
  const isImage = async (side: 'before' | 'after') => {
    const content = await review.content(path, side)
    return content !== undefined && imageType(content, path) !== undefined
  }
  const found = { before: await isImage('before'), after: await isImage('after') }
  return found.before || found.after ? found : undefined
}

async function conflictOf(review: Review, { path, flags }: Change): Promise<WireFile['conflict']> {
  if (!flags.includes('conflict')) return undefined
  const text = textOf(await review.content(path, 'after')) ?? ''
  return blocksOf(text).some(({ kind }) => kind === 'both') ? 'markers' : 'beside'
}

export function describeNoDiff({ kind, flags }: Change): string {
  if (flags.includes('binary')) return 'This is a binary file, so it has no lines to show.'
  if (flags.includes('large')) return 'The file is too large to compare line by line.'
  if (kind === 'mkdir') return 'A directory.'
  if (kind === 'rename') return 'The file was renamed and its content is the same.'
  if (kind === 'mode') return 'Only the file mode changed.'
  return kind === 'delete' || kind === 'create' ? 'The file is empty.' : 'No lines changed.'
}

function isEditable({ kind, flags, after }: Change): boolean {
  return after !== null && kind !== 'mkdir' && !['binary', 'large', 'symlink'].some((flag) => flags.includes(flag))
}

/** @throws BadRequest for content that is not UTF-8 text or too long */
function textOf(content: Uint8Array | undefined): string | undefined {
  if (content === undefined) return undefined
  if (content.length > MAX_EDITABLE_BYTES)
    throw new BadRequest('The file is too long to edit here. Edit it after the commit.')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    throw new BadRequest('The file is not UTF-8 text.')
  }
}
