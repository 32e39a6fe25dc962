import { isDeepStrictEqual } from 'node:util'
import { defined } from '../core/defined.js'
import type { AgentInfo } from '../core/people.js'
import type { StageStore } from '../stage/index.js'
import type { SessionState } from './state.js'

/** Most characters of a name, which the agent's own program reports. */
const MOST = 250

/** The agent of a session, as far as it is known. */
export class SessionAgent {
  #known: AgentInfo | undefined

  /** @param keep stores the agent for other processes */
  constructor(
    known: AgentInfo | undefined,
    private readonly state: Pick<SessionState, 'author'>,
    private readonly store: Pick<StageStore, 'workedOnBy'>,
    private readonly keep: (agent: AgentInfo) => void,
  ) {
    this.#known = known
    state.author = store.workedOnBy(known ? { ...known } : null)
  }

  get known(): AgentInfo | undefined {
    return this.#known
  }

  /** Adds a report. @returns the author number of edits from now on */
  learn(reported: AgentInfo): number {
    const agent = mergeAgent(this.#known, reported)
    if (!isDeepStrictEqual(agent, this.#known)) {
      this.#known = agent
      this.state.author = this.store.workedOnBy({ ...agent })
      this.keep(agent)
    }
    return this.state.author
  }
}

/** Merges a report into what is known. Another tool is another agent and shares nothing with the last. Long names are cut. */
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
  return name.length <= MOST ? name : [...name].slice(0, MOST).join('')
}
