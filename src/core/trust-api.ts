/** What one difference between a file and its accepted text does. */
export type TrustEffect =
  /** It gives agents more than was accepted; it waits. */
  | 'loosens'
  /** It names a program that would run; it waits. */
  | 'runs'
  /** It is text that agents or people read; it waits. */
  | 'text'
  /** It takes something away; it holds already. */
  | 'tightens'

/** One difference between a file and what a person has accepted of it on this machine. */
export interface TrustChange {
  /** Relative to the root. */
  readonly file: string
  readonly effect: TrustEffect
  /** What differs, on one line: `access ".env": allow (was: nothing)`. */
  readonly what: string
}

/** The policy, intents, templates and `.intentignore` of a workspace, compared with what was accepted of them. */
export interface TrustReport {
  /** Of all of these files as they are now: `sha256:` and 64 hex digits. */
  readonly digest: string
  /** Something waits for a person: until then the stricter of file and accepted text holds. */
  readonly waiting: boolean
  readonly changes: readonly TrustChange[]
  /** The files that differ from their accepted text, each with both; undefined: there is none. */
  readonly files: readonly {
    readonly file: string
    readonly accepted: string | undefined
    readonly now: string | undefined
  }[]
  /** When something was accepted last (ISO 8601), and by whom. */
  readonly acceptedAt?: string
  readonly acceptedBy?: string
}
