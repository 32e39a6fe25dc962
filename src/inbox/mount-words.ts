import { z } from 'zod'
import type { Feedback } from '../core/api.js'
import { readSmall } from '../os/read.js'
import { FEEDBACK_AT, spoolDelivery, spooledDeliveries } from '../terminal/index.js'
import { feedbackForm } from './ask-owner.js'

const form = z.array(z.object({ keys: z.array(z.string()), feedback: feedbackForm }))
/** Most bytes of the file. */
const MOST = 1024 * 1024

/**
 * Inside of a mount: the feedback since the last call of any program there. It counts as delivered, and a spool file tells the
 * owner so. No socket leads out of a mount, so feedback comes in a file.
 */
export function takeFeedbackInMount(): Feedback[] {
  const reported = spooledDeliveries()
  return pending().flatMap(({ keys, feedback }) => {
    if (keys.every((key) => reported.has(key))) return []
    for (const key of keys) spoolDelivery(key)
    return [feedback]
  })
}

function pending(): z.infer<typeof form> {
  try {
    return form.parse(JSON.parse(readSmall(FEEDBACK_AT, MOST)))
  } catch {
    // The owner is writing the file: the next call gets them.
    return []
  }
}
