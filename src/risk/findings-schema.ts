import { z } from 'zod'
import { FACTS, type FactName } from './facts.js'

/** The findings about one file, as a cache stores them. */
export const fileFindings = z.array(
  z.object({
    name: z.custom<FactName>((name) => typeof name === 'string' && Object.hasOwn(FACTS, name)),
    what: z.string(),
    line: z.number().optional(),
    oldLine: z.number().optional(),
    gone: z.array(z.string()).exactOptional(),
  }),
)
