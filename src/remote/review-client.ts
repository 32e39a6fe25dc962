import { z } from 'zod'
import { digest } from '../../overlay/index.js'
import {
  BODY,
  type DecisionRequest,
  SESSION_FACTS,
  type SubmissionDetails,
  type SubmissionSummary,
} from '../hub/index.js'
import { askForBytes, askHub, type HubAddress, HubRefusal } from './ask.js'

const VERDICT = z.enum(['approved', 'rejected'])
const MISSING = z.object({
  approvals: z.number(),
  owners: z.array(z.array(z.string())),
  rejectedBy: z.array(z.string()),
})
const STATE = {
  reason: z.string().optional(),
  reviewer: z.string().optional(),
  approvedBy: z.array(z.string()).optional(),
  missing: MISSING.optional(),
}
const HUNK = z.object({ ...STATE, id: z.string(), verdict: VERDICT.optional() })
const CHANGE = z.intersection(
  BODY,
  z.object({
    ...STATE,
    key: z.string(),
    verdict: z.enum(['approved', 'rejected', 'mixed']).optional(),
    hunks: z.array(HUNK).optional(),
  }),
)
const DETAILS: z.ZodType<SubmissionDetails> = z.object({
  id: z.string(),
  session: z.string(),
  isOpen: z.boolean(),
  facts: SESSION_FACTS.optional(),
  changes: z.array(CHANGE),
})
const QUEUE: z.ZodType<SubmissionSummary[]> = z.array(
  z.object({
    id: z.string(),
    session: z.string(),
    risk: z.number(),
    at: z.string(),
    changes: z.number(),
    pending: z.number(),
  }),
)
const ME = z.object({ workspace: z.string(), name: z.string(), role: z.enum(['host', 'reviewer', 'admin']) })

/** Speaks with a hub as a reviewer. Each answer is checked before it is used. */
export class ReviewClient {
  constructor(private readonly to: HubAddress) {}

  async me() {
    return ME.parse(await askHub(this.to, '/v1/me'))
  }

  /** The submissions to decide on, those with the highest risk first. */
  async queue(): Promise<readonly SubmissionSummary[]> {
    return QUEUE.parse(await askHub(this.to, '/v1/queue'))
  }

  async submission(id: string): Promise<SubmissionDetails> {
    return DETAILS.parse(await askHub(this.to, `/v1/queue/${encodeURIComponent(id)}`))
  }

  /** @throws HubRefusal also if the content has another digest */
  async content(ofDigest: string): Promise<Uint8Array> {
    const bytes = await askForBytes(this.to, `/v1/contents/${encodeURIComponent(ofDigest)}`)
    if (digest(bytes) !== ofDigest) throw new HubRefusal('failed', 'The hub answered with another content.')
    return bytes
  }

  async decide(id: string, json: DecisionRequest): Promise<void> {
    await askHub(this.to, `/v1/queue/${encodeURIComponent(id)}/decisions`, { json })
  }
}
