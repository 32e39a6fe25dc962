/** The types of the checklist in the public API: acceptance sentences that a person ticks. */

import type { Reviewer } from './people.js'

/** An acceptance criterion of an intent that is a sentence, and whether a person has ticked it for the next commit. */
export interface ChecklistItem {
  readonly intentId: string
  readonly criterion: string
  /** The number of the sentence in its intent, from 1. */
  readonly number: number
  /** A person has ticked exactly this text, and no commit has recorded that tick yet. */
  readonly ticked: boolean
  /** Who ticked it. */
  readonly by?: Reviewer
  /** When it was ticked: ISO 8601. */
  readonly at?: string
}
