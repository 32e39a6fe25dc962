import { createHash } from 'node:crypto'
import { defined } from '../core/defined.js'
import type { Change, Review } from '../index.js'
import { loadHighlighter } from '../surface/index.js'
import { BadRequest } from './failure.js'
import { type Gap, gapsOf, plainLines } from './gaps.js'
import { imageType } from './images.js'
import { type Colours, coloursOf, pieces, type Rows, rowsOf, textOfRow } from './lines.js'
import { blocksOf } from './markers.js'
import { changeOf, type ReviewHandle, stagedContent } from './review-handle.js'
import type { DiffLine, Layout, WireContext, WireFile, WireMatches, WireRows, WireText } from './wire.js'

/** Rows that are kept made, of all files together. */
const KEPT_ROWS = 150_000
/** Rows of one answer. */
const PAGE = 1_000
/** Bytes of a text that the page lets a person edit. */
const EDITABLE = 1024 * 1024

/** An unchanged line between two changes. */
const WITHIN = /^[+-].*\n(?: .*\n)+[+-]/m

interface Made extends Rows {
  readonly size: number
  /** Empty where the diff leaves nothing out, or where the new text cannot be read line by line. */
  readonly gaps: readonly Gap[]
  /** The new text and its colours, as long as there are gaps. */
  readonly lines: readonly string[]
  readonly colours: Colours['after']
}

/** What the page sees of single files: their rows by pages, made once and kept while there is room. */
export class Files {
  readonly #made = new Map<string, Promise<Made>>()
  #kept = 0

  /** The head of a file's view. */
  async file(room: ReviewHandle, path: string, mark: string): Promise<WireFile> {
    const change = changeOf(await room.displayed(), path, mark)
    const review = await room.review()
    const images = await imagesOf(review, change)
    // A picture of a text that holds more than is drawn is shown beside it.
    if (images !== undefined && change.hunks.length === 0)
      return { mark, shows: 'image', hunks: [], total: { unified: 0, split: 0 }, gaps: [], editable: false, images }
    const { rows, at, gaps } = await this.#rows(room, change, mark)
    const conflict = await conflictOf(review, change)
    const why = change.hunks.length > 0 ? undefined : whyNothing(change)
    return {
      mark,
      shows: why === undefined ? 'text' : 'nothing',
      hunks: change.hunks.map(({ id, state, text, newStart }) => ({
        id,
        state,
        divisible: change.kind === 'modify' && WITHIN.test(text),
        line: firstChangedLine(text, newStart),
        at: at.get(id) ?? { unified: 0, split: 0 },
      })),
      total: { unified: rows.unified.length, split: rows.split.length },
      gaps: gaps.map(({ lines }) => lines),
      editable: isEditable(change),
      ...defined({ why, conflict, images }),
    }
  }

  async rows(room: ReviewHandle, path: string, mark: string, layout: Layout, from: number): Promise<WireRows> {
    const change = changeOf(await room.displayed(), path, mark)
    const { rows } = await this.#rows(room, change, mark)
    return { mark, from, rows: rows[layout].slice(from, from + PAGE) }
  }

  /** Unchanged lines of a gap, which the diff leaves out. */
  async context(room: ReviewHandle, path: string, mark: string, at: GapPart): Promise<WireContext> {
    const change = changeOf(await room.displayed(), path, mark)
    const { gaps, lines, colours } = await this.#rows(room, change, mark)
    const gap = gaps[at.gap]
    if (gap === undefined) throw new BadRequest('These lines are not hidden any more. Reload the page.')
    const first = gap.fresh + at.from
    const last = Math.min(first + Math.min(at.count, PAGE), gap.fresh + gap.lines)
    const found: DiffLine[] = lines.slice(first, last).map((line, index) => ({
      t: ' ',
      o: gap.old + at.from + index + 1,
      n: first + index + 1,
      s: pieces(line, colours?.[first + index], []),
    }))
    return { mark, lines: found }
  }

  /** The rows whose text has the words, in small or capital letters. */
  async matches(
    room: ReviewHandle,
    path: string,
    mark: string,
    { layout, text }: { readonly layout: Layout; readonly text: string },
  ): Promise<WireMatches> {
    const change = changeOf(await room.displayed(), path, mark)
    const { rows } = await this.#rows(room, change, mark)
    const wanted = text.toLowerCase()
    const found = rows[layout].flatMap((row, index) => (textOfRow(row).includes(wanted) ? [index] : []))
    return { mark, rows: wanted === '' ? [] : found.slice(0, PAGE) }
  }

  /** Both sides as text, for an edit or a conflict. */
  async text(room: ReviewHandle, path: string, mark: string): Promise<WireText> {
    const change = changeOf(await room.displayed(), path, mark)
    const review = await room.review()
    const [before, after] = [textOf(await review.content(path, 'before')), textOf(await stagedContent(review, change))]
    changeOf(await room.current(), change.path, mark)
    return { mark, ...defined({ before, after }) }
  }

  #rows(room: ReviewHandle, change: Change, mark: string): Promise<Made> {
    const key = `${mark} ${change.hunks.map(({ id }) => id).join('')}`
    const known = this.#made.get(key)
    if (known !== undefined) {
      this.#made.delete(key)
      this.#made.set(key, known)
      return known
    }
    const making = make(room, change)
    this.#made.set(key, making)
    making.then(
      ({ size }) => this.#keep(size),
      () => this.#made.delete(key),
    )
    return making
  }

  async #keep(size: number): Promise<void> {
    this.#kept += size
    for (const [key, made] of this.#made) {
      if (this.#kept <= KEPT_ROWS || this.#made.size === 1) return
      this.#made.delete(key)
      this.#kept -= (await made).size
    }
  }
}

/** Which lines of a gap are wanted: `from` counts from its first line. */
export interface GapPart {
  readonly gap: number
  readonly from: number
  readonly count: number
}

/** Unchanged lines come before the first change. */
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

async function make(room: ReviewHandle, change: Change): Promise<Made> {
  const { path, from, hunks } = change
  const review = await room.review()
  const highlight = await loadHighlighter()
  const read = (side: 'before' | 'after') => (hunks.length === 0 ? undefined : review.content(path, side))
  const [before, after] = [await read('before'), await read('after')]
  const colours = {
    before: coloursOf(highlight, from ?? path, before),
    after: coloursOf(highlight, path, after),
  }
  const made = rowsOf(hunks, colours)
  const lines = hasGaps(change) && after !== undefined && isShown(change, after) ? linesOfText(after) : undefined
  return {
    ...made,
    size: made.rows.unified.length + made.rows.split.length + (lines?.length ?? 0),
    gaps: lines === undefined ? [] : gapsOf(hunks, lines.length),
    lines: lines ?? [],
    colours: colours.after,
  }
}

/** Of a file that is new or gone every line is in its diff. */
function hasGaps({ kind, hunks }: Change): boolean {
  return hunks.length > 0 && kind !== 'create' && kind !== 'delete'
}

/** The agent may have written since: the lines of another text are not those between the hunks. */
function isShown({ after }: Change, content: Uint8Array): boolean {
  return after === `sha256:${createHash('sha256').update(content).digest('hex')}`
}

/** Undefined where the text may have been split into other lines for the hunks. */
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

function whyNothing({ kind, flags }: Change): string {
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

/** @throws Unclear where it is no text, or too much for a page. */
function textOf(content: Uint8Array | undefined): string | undefined {
  if (content === undefined) return undefined
  if (content.length > EDITABLE) throw new BadRequest('The file is too long to edit here. Edit it after the commit.')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    throw new BadRequest('The file is not UTF-8 text.')
  }
}
