import { z } from 'zod'
import { EMPTY_DIGEST } from '../../overlay/index.js'
import { CHANGE_FACTS } from './facts.js'
import type { QueuedChange } from './types.js'

const DIGEST = z.string().regex(/^sha256:[0-9a-f]{64}$/)
const MODE = z.number().int().min(0).max(0o7777).nullable()

/** Longest path in characters, as the kernel's PATH_MAX. */
const MAX_PATH = 4096

/** A change as the database keeps it. */
export const BODY: z.ZodType<QueuedChange> = z.object({
  path: z.string().min(1).max(MAX_PATH),
  from: z.string().min(1).max(MAX_PATH).optional(),
  kind: z.enum(['create', 'modify', 'delete', 'rename', 'mode', 'link', 'mkdir']),
  before: z.string().max(200).nullable(),
  after: z.string().max(200).nullable(),
  mode: z.object({ before: MODE, after: MODE }).optional(),
  risk: z.number().int().min(0).max(1000),
  shown: z.object({ before: DIGEST.nullable(), after: DIGEST.nullable() }).optional(),
  link: z.literal(true).optional(),
  intent: z.string().max(100).optional(),
  agent: z.string().max(200).optional(),
  facts: CHANGE_FACTS.optional(),
})

/** A change as hosts send it. */
export const CHANGE: z.ZodType<QueuedChange> = BODY.refine(
  isShownAsItIs,
  'The contents to show are not those of the change.',
).refine(({ path, from }) => isPlain(path) && isPlain(from), 'A path is relative to the root, without . and .. in it.')

/** One spelling for each path: rules about paths, such as CODEOWNERS, must not miss another. A lone surrogate would be shown, and would land, as another character. */
function isPlain(path: string | undefined): boolean {
  if (path === undefined) return true
  const segments = path.split('/')
  return path.isWellFormed() && !path.includes('\0') && segments.every((segment) => !['', '.', '..'].includes(segment))
}

/** A verdict is bound to the digests of a change, so the contents that the reviewer sees must have them. */
function isShownAsItIs({ before, after, shown }: QueuedChange): boolean {
  if (shown === undefined) return true
  const isSame = (content: string | null, digest: string | null) =>
    content === digest || (content === null && digest === EMPTY_DIGEST)
  return isSame(shown.before, before) && isSame(shown.after, after)
}

/** A change as the database keeps it. */
export function readBody(text: string): QueuedChange {
  return BODY.parse(JSON.parse(text))
}
