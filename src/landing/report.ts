import type { LandingEnd } from '../hub/index.js'

/** A result or a problem of a worker, for the operator. */
export type WorkerReport =
  | { readonly kind: 'ended'; readonly workspace: string; readonly end: LandingEnd }
  | { readonly kind: 'problem'; readonly workspace?: string; readonly message: string }
