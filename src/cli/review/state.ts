import type { Answer, Change, ChangeSet, ChecklistItem, CheckStatus, Question, Selection } from '../../index.js'
import { chaptersOf, type LastLook, type ReviewOrder, type WorkEvent } from '../../surface/index.js'
import { changeKey, type Document, type Stop, toDocument } from './document.js'
import type { Surface } from './keys.js'
import type { FileColors } from './lines.js'
import type { Charset } from './text.js'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A row of the wrapped document: the line, and the row within it. */
export interface Place {
  readonly line: number
  readonly row: number
}

/** The subject of a verdict: a hunk, or a whole file. */
export interface Target {
  readonly change: Change
  readonly hunk?: Stop['hunk']
}

/** A side effect that the screen requests. `shown` is the displayed change set; an effect on a newer one is refused. */
export type Effect =
  | { readonly do: 'approve'; readonly target: Target; readonly shown: ChangeSet }
  | { readonly do: 'withdraw'; readonly target: Target; readonly shown: ChangeSet }
  | { readonly do: 'discard'; readonly target: Target; readonly shown: ChangeSet }
  | { readonly do: 'reject'; readonly target: Target; readonly words: string; readonly shown: ChangeSet }
  | { readonly do: 'split'; readonly target: Target; readonly shown: ChangeSet }
  | { readonly do: 'edit'; readonly target: Target; readonly shown: ChangeSet; readonly draft?: string }
  | { readonly do: 'approveAll'; readonly shown: ChangeSet }
  | { readonly do: 'commit'; readonly merge: boolean; readonly shown: ChangeSet }
  | { readonly do: 'answer'; readonly question: Question; readonly answer: Answer }
  | { readonly do: 'color'; readonly change: Change }
  | { readonly do: 'withdrawAll'; readonly paths: readonly string[] }
  /** Finds the facts by which the changes are ordered. */
  | { readonly do: 'rank' }
  | { readonly do: 'check' }
  /** Ticks a sentence, or clears its tick. `item` is as displayed. */
  | { readonly do: 'tick'; readonly item: ChecklistItem }
  | { readonly do: 'stop' | 'redraw' | 'suspend' | 'quit' }

/** The person types a line. `then` is its purpose. */
export interface InputMode {
  readonly kind: 'write'
  readonly label: string
  readonly text: string
  readonly then:
    | { readonly do: 'reject'; readonly target: Target }
    | { readonly do: 'deny'; readonly question: Question }
    | { readonly do: 'search' }
}

/** A question that one of the keys in `choices` answers. Any other key means no. */
export interface AskMode {
  readonly kind: 'ask'
  readonly text: string
  readonly choices: Readonly<Record<string, Effect>>
}

export type Mode =
  | { readonly kind: 'browse' }
  | { readonly kind: 'help'; readonly top: number }
  /** The facts that the machine sent about the session, on a hub. */
  | { readonly kind: 'facts'; readonly top: number }
  /** The list of files, with the index of the marked one. */
  | { readonly kind: 'list'; readonly at: number }
  /** The checklist, with the key of the marked sentence. */
  | { readonly kind: 'checklist'; readonly marked: string }
  | InputMode
  | AskMode

export interface Message {
  readonly text: string
  readonly kind: 'info' | 'warn' | 'failed'
}

/** The part of a stop that was on the screen, in rows from its first. */
export interface Seen {
  readonly from: number
  readonly to: number
  readonly whole: boolean
}

export interface Head {
  readonly session: string
  readonly live: boolean
  /** The agent's model or tool. */
  readonly by?: string
  /** On a hub: the facts that the machine sent about the session's intents, a paragraph each. */
  readonly facts?: readonly string[]
}

export interface State {
  readonly surface: Surface
  readonly head: Head
  readonly size: Size
  readonly charset: Charset
  readonly set: ChangeSet
  readonly questions: readonly Question[]
  readonly quarantined: number
  /** The checks of the content that a commit would write now. */
  readonly checks: readonly CheckStatus[]
  /** The acceptance sentences of what a commit would write now. */
  readonly checklist: readonly ChecklistItem[]
  readonly work: readonly WorkEvent[]
  /** More lines below a file's name, by path. */
  readonly notes?: Notes
  /** The changes that this reviewer saw when they last left the review. */
  readonly lastLook: LastLook | undefined
  readonly order: ReviewOrder
  /** Paths of files that the reviewer has unfolded. */
  readonly opened: ReadonlySet<string>
  readonly document: Document
  /** The index of the current stop. */
  readonly cursor: number
  readonly top: Place
  readonly mode: Mode
  /** The progress of a running commit. */
  readonly busy?: string
  /** The check that is running. */
  readonly checking?: string
  readonly message?: Message
  readonly search: string
  /** The decisions of this review, newest last. */
  readonly decisions: readonly Target[]
  /** Paths of a bulk approval, if that was the latest decision. */
  readonly bulk?: readonly string[]
  readonly seen: ReadonlyMap<string, Seen>
  /** Until this time no key decides, because the content under the cursor has just changed. */
  readonly freshUntil: number
  /** Edited texts that could not be staged, by path. */
  readonly drafts: ReadonlyMap<string, string>
  readonly colors: ReadonlyMap<string, FileColors | undefined>
  /** True within a bracketed paste, where no key is a command. */
  readonly pasting: boolean
}

/** Lines below the names of files, by path. */
export type Notes = ReadonlyMap<string, readonly string[]>

export interface Staged {
  readonly head: Head
  readonly set: ChangeSet
  readonly questions: readonly Question[]
  readonly quarantined: number
  readonly checks: readonly CheckStatus[]
  readonly checklist: readonly ChecklistItem[]
  /** The events of the session in the ledger. */
  readonly work: readonly WorkEvent[]
  readonly notes?: Notes
}

export function initialState(
  staged: Staged,
  size: Size,
  charset: Charset,
  { lastLook, surface = 'terminal' }: { readonly lastLook?: LastLook | undefined; readonly surface?: Surface } = {},
): State {
  return {
    ...staged,
    surface,
    size,
    charset,
    ...INITIAL_VIEW,
    lastLook,
    document: documentOf({ ...staged, ...INITIAL_VIEW }),
    cursor: 0,
    top: { line: 0, row: 0 },
    mode: { kind: 'browse' },
    search: '',
    decisions: [],
    seen: new Map(),
    freshUntil: 0,
    drafts: new Map(),
    colors: new Map(),
    pasting: false,
  }
}

const INITIAL_VIEW = { order: 'step', opened: new Set<string>() } as const

/** Builds the document in the order and with the unfolded files that the reviewer chose. */
export function documentOf({
  set,
  work,
  questions,
  order,
  opened,
  notes,
}: Pick<State, 'set' | 'work' | 'questions' | 'order' | 'opened' | 'notes'>): Document {
  return toDocument(chaptersOf(set, order, work), questions, opened, notes)
}

export function currentStop(state: State): Stop | undefined {
  return state.document.stops[state.cursor]
}

export function selectionOf({ change, hunk }: Target): Selection {
  return hunk === undefined ? { paths: [change.path] } : { hunks: [hunk.id] }
}

export function targetOf({ change, hunk }: Stop): Target | undefined {
  return change && { change, ...(hunk && { hunk }) }
}

/** True if both sets show the same changes and hunks for a path. */
export function isSameAt(path: string, before: ChangeSet, after: ChangeSet): boolean {
  return before === after || pathSignature(path, before) === pathSignature(path, after)
}

/** True if both sets show the same changes and hunks. */
export function isSameSet(before: ChangeSet, after: ChangeSet): boolean {
  return before === after || signatureOf(before.changes) === signatureOf(after.changes)
}

function pathSignature(path: string, { changes }: ChangeSet): string {
  return signatureOf(changes.filter((change) => change.path === path))
}

function signatureOf(changes: readonly Change[]): string {
  return JSON.stringify(
    changes.map((change) => [changeKey(change), change.hunks.map(({ id }) => id), change.flags.includes('drifted')]),
  )
}
