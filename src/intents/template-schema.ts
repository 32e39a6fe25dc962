import { z } from 'zod'
import { criteria } from './criteria.js'

const text = z.string({ error: 'a text is expected; put it in quotes' })
const texts = z.array(text, { error: 'a list of texts is expected' }).nullish()
/** A template's file. */
export const fileSchema = z.strictObject(
  {
    summary: text.nullish(),
    owned_scope: texts,
    constraints: texts,
    acceptance_criteria: criteria,
  },
  { error: 'a map with summary, owned_scope, constraints and acceptance_criteria is expected' },
)
