import { z } from 'zod'
import type { Feedback } from '../core/api.js'
import { readSmall } from '../os/read.js'
import { FEEDBACK_AT, spoolDelivery, spooledDeliveries } from '../terminal/index.js'
import { feedbackSchema } from './ask-owner.js'

const fileSchema = z.array(z.object({ keys: z.array(z.string()), feedback: feedbackSchema }))
/** Most bytes of the file. */
const MAX_FILE_BYTES = 1024 * 1024

/**
 * Inside of a mount: takes the feedback since the last call of any program there, and reports it as delivered in a spool file.
 * Feedback comes in a file because no socket leads out of a mount.
 */
export function takeFeedbackInMount(): Feedback[] {
  const reported = spooledDeliveries()
  return readPending().flatMap(({ keys, feedback }) => {
    if (keys.every((key) => reported.has(key))) return []
    for (const key of keys) spoolDelivery(key)
    return [feedback]
  })
}

function readPending(): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(readSmall(FEEDBACK_AT, MAX_FILE_BYTES)))
  } catch {
    // The owner is writing the file: the next call gets the feedback.
    return []
  }
}
