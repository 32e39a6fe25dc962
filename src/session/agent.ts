import { isDeepStrictEqual } from 'node:util'
import { defined } from '../core/defined.js'
import type { AgentInfo } from '../core/people.js'
import type { StageStore } from '../stage/index.js'
import type { SessionState } from './state.js'

/** Characters of a name: it is what a program says of itself. */
const MOST = 250

/** Who works in a session, as far as is known by now. */
export class SessionAgent {
  #known: AgentInfo | undefined

  /** @param keep stores what is known now, for other processes. */
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

  /** Returns the number its edits are credited by from now on. */
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

/**
 * What is known of an agent after a new report. Another tool is another agent, so nothing known before holds for it. Long
 * names are cut.
 */
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
