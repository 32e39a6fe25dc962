import { isDeepStrictEqual } from 'node:util'
import { defined } from '../core/defined.js'
import type { AgentInfo } from '../core/people.js'
import type { StageStore } from '../stage/index.js'
import type { SessionState } from './state.js'

/** Most characters of a name. The agent's own program reports it. */
const MAX_NAME_LENGTH = 250

/** The agent of a session, as far as it is known. */
export class SessionAgent {
  #known: AgentInfo | undefined

  /** @param save stores the agent for other processes */
  constructor(
    known: AgentInfo | undefined,
    private readonly state: Pick<SessionState, 'author'>,
    private readonly store: Pick<StageStore, 'setAgent'>,
    private readonly save: (agent: AgentInfo) => void,
  ) {
    this.#known = known
    state.author = store.setAgent(known ? { ...known } : null)
  }

  get known(): AgentInfo | undefined {
    return this.#known
  }

  /** Adds a report. @returns the author number of edits from now on */
  update(reported: AgentInfo): number {
    const agent = mergeAgent(this.#known, reported)
    if (!isDeepStrictEqual(agent, this.#known)) {
      this.#known = agent
      this.state.author = this.store.setAgent({ ...agent })
      this.save(agent)
    }
    return this.state.author
  }
}

/** Merges a report into the known agent. A different tool is a different agent and replaces it. Long names are truncated. */
function mergeAgent(known: AgentInfo | undefined, reported: AgentInfo): AgentInfo {
  const isSame = known?.tool === undefined || reported.tool === undefined || known.tool === reported.tool
  const { model, tool, toolVersion, conversation } = { ...(isSame && known), ...reported }
  return {
    ...(model !== undefined && { model: truncate(model) }),
    ...(tool !== undefined && { tool: truncate(tool) }),
    ...(toolVersion !== undefined && { toolVersion: truncate(toolVersion) }),
    ...defined({ conversation }),
  }
}

function truncate(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : [...name].slice(0, MAX_NAME_LENGTH).join('')
}
