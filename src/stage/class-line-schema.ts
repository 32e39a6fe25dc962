import { z } from 'zod'

/** The version of the classifier. Raise it with each change that can give the same two contents another class. */
export const CLASSIFIER = 2

/** A line of the cache. */
export const classLine = z.object({
  v: z.literal(CLASSIFIER),
  key: z.string(),
  class: z.enum(['AST_REFACTOR', 'INTENT_EVOLUTION', 'UNVERIFIED']),
  rule: z.string(),
  detail: z.string(),
})
