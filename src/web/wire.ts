/** What goes over the wire between the server and the page. This file imports nothing: both sides do import it. */

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
  /** What commands did and was refused: `escrow quarantine` has it. */
  readonly quarantined: number
}

export interface WireState {
  readonly root: string
  readonly sessions: readonly WireSession[]
  readonly intents: readonly WireIntent[]
  /** What is wrong with policy.yaml: all writes are refused. */
  readonly problem?: string
  /** What the files ask for beyond what was accepted on this machine; absent: nothing waits. */
  readonly trust?: WireTrust
}

export interface WireTrust {
  /** Of the files as they are shown. */
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
  /** Why it has those of them that do not speak for themselves. */
  readonly why: readonly string[]
  /** Of what was shown: a verdict names it, and is refused once it is another. */
  readonly mark: string
  /** Of its hunks and what was said of them. */
  readonly look: string
  readonly added: number
  readonly removed: number
  /** Lines that a commit would put on disk now. */
  readonly landing: readonly [added: number, removed: number]
  /** How many hunks there are, and how many of them were approved and rejected. */
  readonly hunks: readonly [all: number, approved: number, rejected: number]
  readonly mode?: string
  readonly intentId?: string
  readonly calls?: readonly string[]
  readonly measured?: string
  readonly declared?: string
  readonly rule?: string
}

export interface WireGroup {
  readonly title: string
  /** It comes first because of what it is. */
  readonly grave: boolean
  /** What the agent ran for these changes, and how it ended. */
  readonly commands: readonly string[]
  readonly changes: readonly WireChange[]
}

export interface WireChanges {
  readonly session: string
  readonly digest: string
  readonly groups: readonly WireGroup[]
}

/** A piece of a line: its text, of what kind it is (`hidden`: the name of a character nobody would see), and whether its words changed. */
export type Piece = string | readonly [text: string, kind: string, changed?: 1]

/** A line of a diff; of `@` the text is the hunk's header and `hunk` its id. */
export interface DiffLine {
  readonly t: '@' | ' ' | '+' | '-' | '\\'
  readonly hunk?: string
  readonly o?: number
  readonly n?: number
  readonly s: readonly Piece[]
}

/** One row: a line, or the two sides of one. */
export type DiffRow = DiffLine | readonly [DiffLine | null, DiffLine | null]

export type Layout = 'unified' | 'split'

export interface WireFile {
  readonly mark: string
  readonly shows: 'text' | 'image' | 'nothing'
  /** Why there is nothing to be seen, in words. */
  readonly why?: string
  readonly hunks: readonly {
    readonly id: string
    readonly state: WireVerdict
    /** It has unchanged lines between its changes, at which it can be split. */
    readonly divisible: boolean
    /** The first changed line, as the staged text counts. */
    readonly line: number
    readonly at: Readonly<Record<Layout, number>>
  }[]
  /** Rows. */
  readonly total: Readonly<Record<Layout, number>>
  /** How many unchanged lines are left out before each hunk and after the last one; empty where none can be shown. */
  readonly gaps: readonly number[]
  /** Both sides between markers in the staged text, or one on disk and one in the stage. */
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

/** Rows of one file in which a search found its text, in order. */
export interface WireMatches {
  readonly mark: string
  readonly rows: readonly number[]
}

/** Changes that a search found. */
export interface WireFound {
  readonly paths: readonly string[]
}

export interface WireText {
  readonly mark: string
  readonly before?: string
  readonly after?: string
}

/** What a verdict is about: whole changes as they were shown, and hunks of one that was shown. */
export interface WireSelection {
  readonly changes?: readonly { readonly path: string; readonly mark: string }[]
  readonly hunks?: { readonly path: string; readonly ids: readonly string[] }
  /** All of it: the digest of the change set that was shown. */
  readonly all?: string
}

export type WireWord = 'approved' | 'rejected' | 'withdrawn'

export interface WireDecided {
  readonly paths: readonly string[]
  readonly hunks: number
  /** Changes that an approval of everything left out. */
  readonly left: readonly WireLeft[]
  /** What to withdraw to take this verdict back: what had no verdict before it. */
  readonly undo: readonly WireSelection[]
}

/** What was left out, and why. */
export interface WireLeft {
  readonly path: string
  readonly message: string
}

/** A line of a commit's answer: how far it is, then how it ended. */
export type WireCommit =
  | { readonly phase: string; readonly files: number; readonly total: number }
  | {
      readonly done: {
        readonly id: string
        readonly seq: number
        readonly committed: readonly string[]
        readonly conflicts: readonly { readonly path: string; readonly reason: string }[]
        readonly warnings: readonly string[]
        /** Approved changes that it left alone. */
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
  /** The newest first. */
  readonly records: readonly WireRecord[]
  /** Where the next, older page begins; absent at the ledger's begin. */
  readonly before?: number
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
    /** Nothing on this machine anchors the record that says so. */
    readonly unanchored?: true
  }[]
}

export interface WireStats {
  readonly lines: {
    readonly total: number
    readonly ai: number
    readonly human: number
    readonly unknown: number
    readonly byIntent: Readonly<Record<string, number>>
    readonly byModel: Readonly<Record<string, number>>
    readonly byClass: Readonly<Record<string, number>>
  }
  readonly approval: { readonly approved: number; readonly rejected: number; readonly rate: number | null }
  readonly rework: {
    readonly days: number
    readonly written: number
    readonly changed: number
    readonly rate: number | null
  }
}

/** Something moved: look again. */
export interface WireNews {
  readonly sessions: readonly string[]
  readonly ledger: boolean
  readonly intents: boolean
  readonly policy: boolean
}
