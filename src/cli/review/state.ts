import type { Answer, Change, ChangeSet, Question } from '../../index.js'
import { chaptersOf, type LastLook, type ReviewOrder, type WorkEvent } from '../../surface/index.js'
import { changeKey, type Document, type Stop, toDocument } from './document.js'
import type { FileColors } from './lines.js'
import type { Charset } from './text.js'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A row of the document as it is wrapped: which line, and which row of it. */
export interface Place {
  readonly line: number
  readonly row: number
}

/** What a verdict is about: a hunk, or its whole file. */
export interface Target {
  readonly change: Change
  readonly hunk?: Stop['hunk']
}

/** What the screen asks of the world outside. `shown` is what the person had before them: nothing else is decided on. */
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
  | { readonly do: 'stop' | 'redraw' | 'suspend' | 'quit' }

/** A line that is being typed, and what it is for. */
export interface Writing {
  readonly kind: 'write'
  readonly label: string
  readonly text: string
  readonly then:
    | { readonly do: 'reject'; readonly target: Target }
    | { readonly do: 'deny'; readonly question: Question }
    | { readonly do: 'search' }
}

/** A question with one letter for an answer; any other key is a no. */
export interface Asking {
  readonly kind: 'ask'
  readonly text: string
  readonly choices: Readonly<Record<string, Effect>>
}

export type Mode =
  | { readonly kind: 'browse' }
  | { readonly kind: 'help'; readonly top: number }
  /** The list of files, with the place of the one that is marked. */
  | { readonly kind: 'list'; readonly at: number }
  | Writing
  | Asking

export interface Message {
  readonly text: string
  readonly kind: 'told' | 'warn' | 'failed'
}

/** How much of a stop was on the screen, in rows from its first on. */
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
}

export interface State {
  readonly head: Head
  readonly size: Size
  readonly charset: Charset
  readonly set: ChangeSet
  readonly questions: readonly Question[]
  readonly quarantined: number
  readonly work: readonly WorkEvent[]
  /** What this reviewer saw when they last left the review. */
  readonly lastLook: LastLook | undefined
  readonly order: ReviewOrder
  /** Paths of files that were unfolded here. */
  readonly opened: ReadonlySet<string>
  readonly document: Document
  /** Of the stop that keys are about. */
  readonly cursor: number
  readonly top: Place
  readonly mode: Mode
  /** A commit under way: how far it is. */
  readonly busy?: string
  readonly message?: Message
  readonly search: string
  /** What was decided here, the latest last. */
  readonly given: readonly Target[]
  /** Paths that were approved at once here, last of all. */
  readonly bulk?: readonly string[]
  readonly seen: ReadonlyMap<string, Seen>
  /** Until then what is under the cursor counts as not seen: it has just changed by itself. */
  readonly freshUntil: number
  /** By path: what a person wrote, and could not be put there. */
  readonly drafts: ReadonlyMap<string, string>
  readonly colors: ReadonlyMap<string, FileColors | undefined>
  /** Between the marks of a paste: none of it is a command. */
  readonly pasting: boolean
}

export interface Staged {
  readonly head: Head
  readonly set: ChangeSet
  readonly questions: readonly Question[]
  readonly quarantined: number
  /** What the ledger knows of the session's work. */
  readonly work: readonly WorkEvent[]
}

export function initialState(staged: Staged, size: Size, charset: Charset, lastLook?: LastLook): State {
  return {
    ...staged,
    size,
    charset,
    ...INITIAL_VIEW,
    lastLook,
    document: documentOf({ ...staged, ...INITIAL_VIEW }),
    cursor: 0,
    top: { line: 0, row: 0 },
    mode: { kind: 'browse' },
    search: '',
    given: [],
    seen: new Map(),
    freshUntil: 0,
    drafts: new Map(),
    colors: new Map(),
    pasting: false,
  }
}

const INITIAL_VIEW = { order: 'step', opened: new Set<string>() } as const

/** Lays out what is staged in the order, and with the files unfolded, that the reviewer chose. */
export function documentOf({
  set,
  work,
  questions,
  order,
  opened,
}: Pick<State, 'set' | 'work' | 'questions' | 'order' | 'opened'>): Document {
  return toDocument(chaptersOf(set, order, work), questions, opened)
}

export function stopOf(state: State): Stop | undefined {
  return state.document.stops[state.cursor]
}

export function targetOf({ change, hunk }: Stop): Target | undefined {
  return change && { change, ...(hunk && { hunk }) }
}

/** True where a person would see the same in both, all of a path's changes and hunks. */
export function isSameThere(path: string, shown: ChangeSet, now: ChangeSet): boolean {
  return shown === now || signature(path, shown) === signature(path, now)
}

/** The same of all changes. */
export function isSame(shown: ChangeSet, now: ChangeSet): boolean {
  return shown === now || signatureOf(shown.changes) === signatureOf(now.changes)
}

function signature(path: string, { changes }: ChangeSet): string {
  return signatureOf(changes.filter((change) => change.path === path))
}

function signatureOf(own: readonly Change[]): string {
  return JSON.stringify(
    own.map((change) => [changeKey(change), change.hunks.map(({ id }) => id), change.flags.includes('drifted')]),
  )
}
