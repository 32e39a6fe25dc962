import { AsyncLocalStorage } from 'node:async_hooks'

/** Which tool call an fs call belongs to. Code outside any tool call has no context. */
export interface ToolContext {
  readonly tool: string
  readonly callId: string
  /**
   * `read`: what is read is shown to the model, so it becomes the base of the content lock.
   * `edit`: reads are the tool's own (it re-reads before writing) and move no base.
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
