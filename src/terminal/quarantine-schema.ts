import { z } from 'zod'
import { asRelPath } from '../../overlay/index.js'

const KINDS = ['gone', 'dir', 'file', 'symlink', 'other', 'unnamed', 'git'] as const

/** An entry of `refused.json`. */
export const quarantinedSchema = z.strictObject({
  path: z.string().transform(asRelPath),
  kind: z.enum(KINDS),
  reason: z.string(),
  message: z.string(),
  /** The intent that was active. */
  intent: z.string().optional(),
  mode: z.int().optional(),
  size: z.int().optional(),
  /** The target of a symlink. */
  target: z.string().optional(),
  /** The name of the file beside this one with the content; absent if it was too large or unreadable. */
  content: z
    .string()
    .regex(/^sha256-[0-9a-f]{64}$/)
    .optional(),
})

/** A refused effect, kept for a person to decide. */
export type Quarantined = z.infer<typeof quarantinedSchema>

/** `refused.json`. */
export const quarantinedList = z.array(quarantinedSchema)
