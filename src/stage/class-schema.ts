import { z } from 'zod'

/** A class in the cache. */
export const measured = z.object({
  class: z.enum(['AST_REFACTOR', 'INTENT_EVOLUTION', 'UNVERIFIED']),
  rule: z.string(),
  detail: z.string(),
})
