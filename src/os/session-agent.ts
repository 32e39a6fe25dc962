import type { Layout } from '../core/layout.js'
import { type AgentInfo, checkedAgent } from '../core/people.js'
import { readSmall } from './read.js'

const MAX_META_BYTES = 64 * 1024

/** Returns the agent of a session. Undefined if its file is missing or damaged. */
export function sessionAgent(layout: Layout, session: string): AgentInfo | undefined {
  try {
    return checkedAgent(JSON.parse(readSmall(layout.session(session).meta, MAX_META_BYTES)))
  } catch {
    return undefined
  }
}
