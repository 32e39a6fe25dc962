import { z } from 'zod'

/** The findings about one file, as a cache stores them. */
export const storedFindings = z.array(
  z.object({
    name: z.string(),
    what: z.string(),
    line: z.number().optional(),
    oldLine: z.number().optional(),
    gone: z.array(z.string()).exactOptional(),
  }),
)
