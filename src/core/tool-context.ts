import { AsyncLocalStorage } from 'node:async_hooks'

/** The tool call that an fs call belongs to. Code outside any tool call has no context. */
export interface ToolContext {
  readonly tool: string
  readonly callId: string
  /**
   * `read`: the model sees the content, so it becomes the base of the content lock.
   * `edit`: the tool reads for itself, for example before it writes, so the base stays.
   */
  readonly kind: 'read' | 'edit' | 'command' | 'other'
  /** Roo Code's dispatcher locks up when access, stat or a directory-only mkdir throws. */
  readonly host?: 'roo'
}

const storage = new AsyncLocalStorage<ToolContext>()

export function currentTool(): ToolContext | undefined {
  return storage.getStore()
}

export function runInTool<T>(context: ToolContext, run: () => T): T {
  return storage.run(context, run)
}
