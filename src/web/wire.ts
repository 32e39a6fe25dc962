/** The JSON types between the server and the page. This file imports nothing, because both sides import it. */

export interface WireIntent {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly scope: readonly string[]
  readonly constraints: readonly string[]
  readonly criteria: readonly string[]
}

/** An open question: `id`, `kind` and the fields of its kind. */
export interface WireQuestion {
  readonly id: string
  readonly at: string
  readonly kind: 'scope' | 'access' | 'command'
  readonly intentId?: string
  readonly globs?: readonly string[]
  readonly reach?: string // The files that the globs would add.
  readonly why?: string
  readonly path?: string
  readonly rule?: string
  readonly command?: string
  readonly cwd?: string
  readonly rules?: readonly string[]
}

export interface WireSession {
  readonly id: string
  readonly live: boolean
  readonly changes: number
  readonly agent?: { readonly model?: string; readonly tool?: string }
  readonly damaged?: string
  readonly questions: readonly WireQuestion[]
  /** Number of refused effects of commands; `escrow quarantine` lists them. */
  readonly quarantined: number
}

export interface WireState {
  readonly root: string
  readonly sessions: readonly WireSession[]
  readonly intents: readonly WireIntent[]
  /** The problem of policy.yaml, because of which all writes are refused. */
  readonly problem?: string
  /** Changes of the files that wait to be accepted on this machine; absent if none. */
  readonly trust?: WireTrust
}

/** The checks of the content that a commit would write now, or of everything that is staged. */
export interface WireChecks {
  readonly selection: 'approved' | 'all'
  readonly checks: readonly WireCheck[]
}

export interface WireCheck {
  readonly intentId: string
  readonly run: string
  readonly state: 'passed' | 'failed' | 'stale' | 'not run'
  /** The exit code, or why it was stopped; absent without evidence, as are the next two. */
  readonly end?: string
  readonly at?: string
  readonly output?: string
}

/** An acceptance sentence, as the page shows it and sends it back. `by`: who ticked it. */
export type WireSentence = Readonly<{ intentId: string; criterion: string; ticked: boolean; by?: string }>

export interface WireTrust {
  /** The digest of the shown files. */
  readonly digest: string
  readonly changes: readonly { readonly file: string; readonly effect: string; readonly what: string }[]
}

export type WireVerdict = 'pending' | 'approved' | 'rejected'

export interface WireChange {
  readonly path: string
  readonly from?: string
  readonly kind: string
  readonly state: WireVerdict
  readonly flags: readonly string[]
  /** Explanations of the flags that need one. */
  readonly why: readonly string[]
  /** Identifies the shown version: a verdict names it, and is refused if it has changed. */
  readonly mark: string
  /** A digest of the hunks and their verdicts. */
  readonly look: string
  readonly added: number
  readonly removed: number
  /** Lines that a commit would write now. */
  readonly landing: readonly [added: number, removed: number]
  /** The number of hunks, and of approved and rejected ones. */
  readonly hunks: readonly [all: number, approved: number, rejected: number]
  readonly mode?: string
  readonly intentId?: string
  readonly calls?: readonly string[]
  readonly measured?: string
  readonly declared?: string
  readonly rule?: string
  /** Why nobody reads it line by line, such as `a proven refactoring`; absent for a file to read. */
  readonly folded?: string
}

export interface WireGroup {
  readonly title: string
  /** Whether it comes first because it needs attention. */
  readonly grave: boolean
  /** The agent's commands for these changes, with their results. The lines of a script follow the first. */
  readonly commands: readonly string[]
  readonly changes: readonly WireChange[]
}

export interface WireChanges {
  readonly session: string
  readonly digest: string
  readonly groups: readonly WireGroup[]
}

/** A piece of a line: its text, its kind (`hidden`: the name of an invisible character), and whether its words changed. */
export type Piece = string | readonly [text: string, kind: string, changed?: 1]

/** A line of a diff. For `@`, the text is the hunk's header and `hunk` its id. */
export interface DiffLine {
  readonly t: '@' | ' ' | '+' | '-' | '\\'
  readonly hunk?: string
  readonly o?: number
  readonly n?: number
  readonly s: readonly Piece[]
}

/** One row: a line, or two sides. */
export type DiffRow = DiffLine | readonly [DiffLine | null, DiffLine | null]

export type Layout = 'unified' | 'split'

export interface WireFile {
  readonly mark: string
  readonly shows: 'text' | 'image' | 'nothing'
  /** Why there are no lines to show, as text. */
  readonly why?: string
  readonly hunks: readonly {
    readonly id: string
    readonly state: WireVerdict
    /** Whether it can be split: it has unchanged lines between its changes. */
    readonly divisible: boolean
    /** The first changed line, numbered in the staged text. */
    readonly line: number
    readonly at: Readonly<Record<Layout, number>>
  }[]
  /** Number of rows. */
  readonly total: Readonly<Record<Layout, number>>
  /** How many unchanged lines are left out before each hunk and after the last one; empty if none can be shown. */
  readonly gaps: readonly number[]
  /** Markers: both sides are in the staged text. Beside: one side is on disk and one in the stage. */
  readonly conflict?: 'markers' | 'beside'
  readonly images?: { readonly before: boolean; readonly after: boolean }
  readonly editable: boolean
}

export interface WireRows {
  readonly mark: string
  readonly from: number
  readonly rows: readonly DiffRow[]
}

/** Unchanged lines of a gap: see `WireFile.gaps`. */
export interface WireContext {
  readonly mark: string
  readonly lines: readonly DiffLine[]
}

/** Indexes of a file's rows that contain the searched text. */
export interface WireMatches {
  readonly mark: string
  readonly rows: readonly number[]
}

/** Paths of the changes that contain the searched text. */
export interface WireFound {
  readonly paths: readonly string[]
}

export interface WireText {
  readonly mark: string
  readonly before?: string
  readonly after?: string
}

/** The selection of a verdict: whole changes, and hunks of one change, as they were shown. */
export interface WireSelection {
  readonly changes?: readonly { readonly path: string; readonly mark: string }[]
  readonly hunks?: { readonly path: string; readonly ids: readonly string[] }
  /** Everything: the digest of the change set that was shown. */
  readonly all?: string
}

export type WireWord = 'approved' | 'rejected' | 'withdrawn'

export interface WireDecided {
  readonly paths: readonly string[]
  readonly hunks: number
  /** Changes that an approval of everything skipped. */
  readonly left: readonly WireLeft[]
  /** The selections to withdraw to undo this verdict: those without a verdict before. */
  readonly undo: readonly WireSelection[]
}

/** A skipped or refused path, and why. */
export interface WireLeft {
  readonly path: string
  readonly message: string
}

/** A line of a commit's response: a progress report, or the result. */
export type WireCommit =
  | { readonly phase: string; readonly files: number; readonly total: number }
  | {
      readonly done: {
        readonly id: string
        readonly seq: number
        readonly committed: readonly string[]
        readonly conflicts: readonly { readonly path: string; readonly reason: string }[]
        readonly warnings: readonly string[]
        /** Acceptance sentences that nobody had ticked; absent if there are none. */
        readonly unticked?: readonly { readonly intentId: string; readonly criterion: string }[]
        /** The git commit that was made. */
        readonly git?: { readonly ref: string; readonly commits: readonly string[] }
        /** Approved changes that it skipped. */
        readonly left: readonly WireLeft[]
      }
    }
  | { readonly failed: WireFailure }

export interface WireFailure {
  readonly reason: string
  readonly message: string
  readonly hint?: string
  readonly refused?: readonly WireLeft[]
}

export interface WireRecord {
  readonly seq?: number
  readonly at?: string
  readonly what: string
  readonly intentId?: string
  readonly sessionId?: string
  readonly tx?: string
  readonly about: readonly string[]
  readonly more: number
  readonly by?: string
  readonly why?: string
}

export interface WireTimeline {
  /** Newest first. */
  readonly records: readonly WireRecord[]
  /** Asks for the next, older page; absent at the start of the ledger. */
  readonly next?: { readonly newest?: string; readonly skip: number }
}

export interface WireBlame {
  readonly path: string
  readonly total: number
  readonly from: number
  readonly lines: readonly {
    readonly line: number
    readonly s: readonly Piece[]
    readonly who: string
    readonly intentId?: string
    readonly sessionId?: string
    readonly approvedBy?: string
    readonly measured?: string
    /** Nothing on this machine anchors the record of this line. */
    readonly unanchored?: true
  }[]
}

/** Something changed: reload it. */
export interface WireNews {
  readonly sessions: readonly string[]
  readonly ledger: boolean
  readonly intents: boolean
  readonly policy: boolean
  readonly classes: boolean
}
