/** Identifies a task and the task that delegated it. */
export interface TaskOrigin {
  readonly taskId: string
  readonly rootTaskId?: string | undefined
  readonly parentTaskId?: string | undefined
}

/** Looks up the parent of an ended task in the host's history; undefined for none. */
export type ParentOf = (taskId: string) => string | undefined

/**
 * Maps tasks to conversations, which have the id of their first task: subtasks continue with their parents' staged
 * changes. The host removes the parent before it creates the child, so the child often names only its parent.
 */
export class Conversations {
  readonly #rootById = new Map<string, string>()

  constructor(private readonly parentOf: ParentOf = () => undefined) {}

  of({ taskId, rootTaskId, parentTaskId }: TaskOrigin): string {
    const known = this.#rootById.get(taskId)
    if (known !== undefined) return known
    const parent = parentTaskId ?? this.parentOf(taskId)
    const found = rootTaskId ?? (parent === undefined ? taskId : this.#rootOf(parent))
    this.#rootById.set(taskId, found)
    return found
  }

  #rootOf(taskId: string): string {
    const visited = new Set<string>()
    let at = taskId
    for (;;) {
      const known = this.#rootById.get(at)
      if (known !== undefined) return known
      visited.add(at)
      const parent = this.parentOf(at)
      if (parent === undefined || visited.has(parent)) return at
      at = parent
    }
  }
}
