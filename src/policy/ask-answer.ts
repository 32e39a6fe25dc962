/** A person's answer to a write that an `ask` rule refused. */
export interface AskAnswer {
  readonly answer: 'allow' | 'once' | 'subtree' | 'deny'
  readonly words?: string | undefined
  readonly by: { readonly name: string }
}
