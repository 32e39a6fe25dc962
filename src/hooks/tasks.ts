import type { Workspace, WorkspaceOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { AgentInfo } from '../core/people.js'
import type { HookTask } from './hook-call.js'

export interface TaskOptions {
  /** `openWorkspace`, passed in because this room may not import it. */
  readonly open: (root: string, options?: WorkspaceOptions) => Promise<Workspace>
  readonly workspace?: WorkspaceOptions
  /** The agent of the sessions. Each call names the model. */
  readonly agent?: AgentInfo
}

/** The sessions of conversations: one per task, in the workspace of its directory. */
export class HookTasks {
  readonly #workspaces = new Map<string, Promise<Workspace>>()
  readonly #tasks = new Map<string, { readonly cwd: string; readonly task: Promise<HookTask> }>()
  readonly #opened = new Map<string, HookTask>()

  constructor(private readonly options: TaskOptions) {}

  /** @throws the errors of opening, and EscrowError `path_escape` for a task that moves to another workspace. */
  async of(taskId: string, cwd: string, modelId?: string): Promise<HookTask> {
    const found = this.#tasks.get(taskId)
    if (found && found.cwd !== cwd) {
      const message = `Task ${taskId} works in ${found.cwd}; a call of it named ${cwd}.`
      throw new EscrowError('path_escape', message, { hint: 'End the task before you start it in another workspace.' })
    }
    if (found) return found.task
    const task = this.#openTask(taskId, cwd, modelId)
    this.#tasks.set(taskId, { cwd, task })
    try {
      const opened = await task
      // The task may have ended while its session was opening.
      if (this.#tasks.get(taskId)?.task === task) this.#opened.set(taskId, opened)
      return opened
    } catch (error) {
      if (this.#tasks.get(taskId)?.task === task) this.#tasks.delete(taskId)
      throw error
    }
  }

  find(taskId: string): HookTask | undefined {
    return this.#opened.get(taskId)
  }

  async end(taskId: string): Promise<void> {
    const opening = this.#tasks.get(taskId)?.task
    this.#tasks.delete(taskId)
    this.#opened.delete(taskId)
    const task = await opening?.catch(() => undefined)
    await task?.open?.tool.end()
    await task?.session.close()
  }

  async close(): Promise<void> {
    for (const taskId of [...this.#tasks.keys()]) await this.end(taskId)
    const workspaces = await Promise.allSettled(this.#workspaces.values())
    this.#workspaces.clear()
    for (const each of workspaces) if (each.status === 'fulfilled') await each.value.close()
  }

  async #openTask(taskId: string, cwd: string, modelId: string | undefined): Promise<HookTask> {
    const { agent } = this.options
    const sessionAgent = { ...agent, ...defined({ model: modelId }) }
    const workspace = await this.#workspaceOf(cwd)
    return { session: await workspace.session({ id: taskId, agent: sessionAgent }), refusals: [], open: undefined }
  }

  #workspaceOf(cwd: string): Promise<Workspace> {
    const known = this.#workspaces.get(cwd)
    if (known) return known
    const opening = this.options.open(cwd, this.options.workspace)
    this.#workspaces.set(cwd, opening)
    opening.catch(() => this.#workspaces.delete(cwd))
    return opening
  }
}
