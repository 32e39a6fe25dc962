import type { LandingEnd } from '../hub/index.js'

/** One thing that a worker did, or could not do, for the operator to read. */
export type WorkerReport =
  | { readonly kind: 'ended'; readonly workspace: string; readonly end: LandingEnd }
  | { readonly kind: 'problem'; readonly workspace?: string; readonly message: string }
