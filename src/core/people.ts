import { EscrowError } from './api-error.js'
import { isObject } from './is-object.js'

/** A person, named as in git. */
export interface Reviewer {
  readonly name: string
  readonly email?: string
}

/** The agent of a session, for the ledger. */
export interface AgentInfo {
  readonly model?: string
  /** The agent's program. */
  readonly tool?: string
  readonly toolVersion?: string
  /** The URL of the conversation. */
  readonly conversation?: string
}

/**
 * Returns a reviewer with its known fields only. Callers without a type checker may give anything, and a record of it could not be
 * read again.
 * @throws EscrowError `unsupported` if it is no reviewer
 */
export function checkedReviewer(given: Reviewer): Reviewer {
  const known = textFields(given, ['name', 'email'])
  if (known?.name !== undefined) return { ...known, name: known.name }
  throw new EscrowError('unsupported', 'The reviewer must be an object with a name. Nothing was recorded.', {
    hint: "Give { name: 'Ada' }, and an email if there is one.",
  })
}

/**
 * Returns an agent with its known fields only.
 * @throws EscrowError `unsupported` if it is no agent
 */
export function checkedAgent(given: { readonly [K in keyof AgentInfo]: AgentInfo[K] | undefined }): AgentInfo {
  const known = textFields(given, ['model', 'tool', 'toolVersion', 'conversation'])
  if (known !== undefined) return known
  throw new EscrowError('unsupported', 'The agent must be an object whose fields are strings. Nothing was recorded.', {
    hint: "Give { tool: 'my-agent', model: 'some-model' }. Each field may be absent.",
  })
}

/** The fields of these names that have a value; undefined if a value is not a string. */
function textFields<K extends string>(given: unknown, names: readonly K[]): { [N in K]?: string } | undefined {
  if (!isObject(given)) return undefined
  const found: { [N in K]?: string } = {}
  for (const name of names) {
    const value = given[name]
    if (value === undefined) continue
    if (typeof value !== 'string') return undefined
    found[name] = value
  }
  return found
}
