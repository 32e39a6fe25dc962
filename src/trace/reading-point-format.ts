import { z } from 'zod'
import type { Tip } from './chain.js'

/** The format of `ledger-point.json`, see reading-point.ts. Loaded only for a long ledger, and by a hub. */

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().nonnegative()

const head = {
  ledger: z.string().nullable(),
  seq: count,
  hash: hash.nullable(),
  own: z.object({ hash, start: count, end: count }).nullable(),
  foreign: z.object({ lines: count, sha256: z.string() }),
}

export const TIP: z.ZodType<Tip> = z.object({
  ...head,
  lines: count,
  start: count,
  end: count,
  parent: hash.nullable(),
  sides: z.array(z.object({ ...head, left: count })),
})

const pointSchema = z.object({
  version: z.literal(1),
  dev: z.number(),
  ino: z.number(),
  tip: TIP,
  heads: z.array(z.tuple([z.string(), z.string()])),
})

/** Undefined if the text is not a point of this version. */
export function parsePoint(text: string): z.infer<typeof pointSchema> | undefined {
  try {
    return pointSchema.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
