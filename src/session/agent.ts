import { isDeepStrictEqual } from 'node:util'
import type { AgentInfo } from '../core/people.js'

/** Characters of a name: it is what a program says of itself. */
const MOST = 250

/** Who works in a session, as far as is known by now. */
export class SessionAgent {
  #known: AgentInfo | undefined
  /** The number its edits are credited by. */
  number: number

  /** @param workedOnBy tells the stage, which answers with the number. */
  constructor(
    known: AgentInfo | undefined,
    private readonly workedOnBy: (agent: { readonly [field: string]: string } | null) => number,
    private readonly keep: (agent: AgentInfo) => void,
  ) {
    this.#known = known
    this.number = workedOnBy(known ? { ...known } : null)
  }

  get known(): AgentInfo | undefined {
    return this.#known
  }

  /** Answers with the number its edits are credited by from now on. */
  learn(said: AgentInfo): number {
    const agent = agentBy(this.#known, said)
    if (isDeepStrictEqual(agent, this.#known)) return this.number
    this.#known = agent
    this.number = this.workedOnBy({ ...agent })
    this.keep(agent)
    return this.number
  }
}

/**
 * What is known of an agent once it has said more. Another tool is another agent, of which nothing that was said before holds; another
 * version, too, may speak for another model. What is longer than a name is cut.
 */
function agentBy(known: AgentInfo | undefined, said: AgentInfo): AgentInfo {
  const isSame = known?.tool === undefined || said.tool === undefined || known.tool === said.tool
  const { model, tool, toolVersion, conversation } = { ...(isSame && known), ...said }
  return {
    ...(model !== undefined && { model: truncate(model) }),
    ...(tool !== undefined && { tool: truncate(tool) }),
    ...(toolVersion !== undefined && { toolVersion: truncate(toolVersion) }),
    ...(conversation !== undefined && { conversation }),
  }
}

function truncate(name: string): string {
  return name.length <= MOST ? name : [...name].slice(0, MOST).join('')
}
