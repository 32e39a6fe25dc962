import type { Identity, Role, Scope } from './types.js'

/** A role that a sign-in may have. A machine has a token instead. */
export type SignInRole = Exclude<Role, 'host'>

/** A role in a workspace, by a sign-in. */
export interface Access extends Scope {
  readonly role: SignInRole
}

/** A group of the identity provider, and what its members may do in a workspace. */
export interface SignInGroup extends Access {
  readonly name: string
  /** Teams in CODEOWNERS, by `@organisation/team`, that its members belong to. */
  readonly teams: readonly string[]
}

/** A person as the identity provider describes them. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  readonly name: string
  readonly groups: readonly string[]
}

/** The values that bind an answer of the provider to the browser that asked. */
export interface BegunSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface SignIn {
  /** The hash of its cookie. */
  readonly id: string
  /** The issuer and the subject, which identify the person independently of the name. */
  readonly subject: string
  readonly name: string
  readonly accesses: readonly Access[]
  /** The access that was chosen. Undefined: none was chosen yet, or the groups no longer have it. */
  readonly identity?: Identity
}
