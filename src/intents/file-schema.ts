import { z } from 'zod'
import type { IntentStatus } from '../core/api.js'
import { criteria } from './criteria.js'
import { ID } from './intent-id.js'
import { STATUSES } from './statuses.js'

const text = z.string({ error: 'a text is expected; put it in quotes' })
const texts = z.array(text, { error: 'a list of texts is expected' }).nullish()
const idText = text.regex(ID, 'an id is at most 100 letters, digits and _ . : / # -; rename it')

const status = z
  .enum([...STATUSES, 'COMPLETE'], { error: `one of ${STATUSES.join(', ')} is expected` })
  .transform((value): IntentStatus => (value === 'COMPLETE' ? 'COMPLETED' : value))

/** One intent of the file. Other keys are allowed: teams keep their own notes there. */
export const entrySchema = z.looseObject(
  {
    id: idText.optional(),
    name: text.nullish(),
    title: text.nullish(),
    status: status.nullish(),
    owned_scope: texts,
    scope: z.looseObject({ paths: texts }, { error: 'a map with `paths` is expected' }).nullish(),
    constraints: texts,
    acceptance_criteria: criteria,
    depends_on: texts,
    created_at: text.nullish(),
    updated_at: text.nullish(),
  },
  { error: 'a map with id, name, status and owned_scope is expected' },
)

export type Entry = z.infer<typeof entrySchema>

/** The file without its intents. */
export const rootSchema = z.looseObject(
  { active_intent_id: z.union([idText, z.literal('')], { error: 'an intent id is expected' }).nullish() },
  { error: 'a map with `active_intents:` or `intents:` is expected' },
)
