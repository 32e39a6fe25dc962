/** The effect of a difference between a file and its accepted text. */
export type TrustEffect =
  /** It permits more than was accepted. It needs acceptance. */
  | 'loosens'
  /** It names a program that would run. It needs acceptance. */
  | 'runs'
  /** It changes text that agents or people read. It needs acceptance. */
  | 'text'
  /** It permits less. It applies without acceptance. */
  | 'tightens'

/** One difference between a file and the text that a person has accepted on this machine. */
export interface TrustChange {
  /** Relative to the root. */
  readonly file: string
  readonly effect: TrustEffect
  /** The difference, on one line: `access ".env": allow (was: closed as a secret)`. */
  readonly what: string
}

/** The policy, intents, templates and `.intentignore` of a workspace, compared with the accepted texts. */
export interface TrustReport {
  /** The digest of the present content of all these files: `sha256:` and 64 hex digits. */
  readonly digest: string
  /** Whether a change needs acceptance. Until then the stricter of the file and its accepted text applies. */
  readonly waiting: boolean
  readonly changes: readonly TrustChange[]
  /** The files that differ from their accepted text, with both texts. Undefined: the file is absent, or was not accepted. */
  readonly files: readonly {
    readonly file: string
    readonly accepted: string | undefined
    readonly now: string | undefined
  }[]
  /** When a person last accepted something: ISO 8601. */
  readonly acceptedAt?: string
  /** The name of that person. */
  readonly acceptedBy?: string
}
