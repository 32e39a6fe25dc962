/** What says which task a task was delegated by. */
export interface TaskOrigin {
  readonly taskId: string
  readonly rootTaskId?: string | undefined
  readonly parentTaskId?: string | undefined
}

/** The parent of a task that is not alive any more, from the host's history; undefined for none. */
export type ParentOf = (taskId: string) => string | undefined

/**
 * The conversation a task belongs to, by the id of its first task: subtasks work on what their parents have staged. A delegation
 * removes the parent before it makes the child, so the child often names its parent alone.
 */
export class Conversations {
  readonly #known = new Map<string, string>()

  constructor(private readonly parentOf: ParentOf = () => undefined) {}

  of({ taskId, rootTaskId, parentTaskId }: TaskOrigin): string {
    const known = this.#known.get(taskId)
    if (known !== undefined) return known
    const parent = parentTaskId ?? this.parentOf(taskId)
    const found = rootTaskId ?? (parent === undefined ? taskId : this.#rootOf(parent))
    this.#known.set(taskId, found)
    return found
  }

  #rootOf(taskId: string): string {
    const seen = new Set<string>()
    let at = taskId
    for (;;) {
      const known = this.#known.get(at)
      if (known !== undefined) return known
      seen.add(at)
      const parent = this.parentOf(at)
      if (parent === undefined || seen.has(parent)) return at
      at = parent
    }
  }
}
