import { z } from 'zod'
import type { Feedback } from '../core/api.js'
import { readSmall } from '../host/read.js'
import { spoolDelivered, spooledDeliveries, WORDS_AT } from '../terminal/index.js'
import { feedbackForm } from './ask-owner.js'

const form = z.array(z.object({ keys: z.array(z.string()), feedback: feedbackForm }))
/** Bytes of it. */
const MOST = 1024 * 1024

/**
 * Inside of a mount: what reviewers said since the last call of anyone in there. It counts as delivered, and the owner
 * learns of that. No socket leads out of a mount, so the words come by a file.
 */
export function takeWordsInMount(): Feedback[] {
  const reported = spooledDeliveries()
  return words().flatMap(({ keys, feedback }) => {
    if (keys.every((key) => reported.has(key))) return []
    for (const key of keys) spoolDelivered(key)
    return [feedback]
  })
}

function words(): z.infer<typeof form> {
  try {
    return form.parse(JSON.parse(readSmall(WORDS_AT, MOST)))
  } catch {
    // The owner is writing it: the next call gets them.
    return []
  }
}
