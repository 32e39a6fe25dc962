import { z } from 'zod'
import { COMMAND_CLASSES } from '../core/command-class.js'

const asked = { id: z.string(), at: z.string() }
/** A question, as a note in the stage's log. */
export const questionSchema = z.discriminatedUnion('kind', [
  z.object({ ...asked, kind: z.literal('scope'), intentId: z.string(), globs: z.array(z.string()), why: z.string() }),
  z.object({
    ...asked,
    kind: z.literal('access'),
    intentId: z.string().optional(),
    path: z.string(),
    rule: z.string(),
  }),
  z.object({
    ...asked,
    kind: z.literal('command'),
    intentId: z.string().optional(),
    command: z.string(),
    cwd: z.string(),
    rules: z.array(z.enum([...COMMAND_CLASSES, 'terminal.network'])),
    why: z.string(),
    key: z.string(),
  }),
])
