/**
 * The parts of a running Roo Code that are used here, by their shapes in 3.52. Its own types publish few of them, and none is
 * needed at run time.
 */

export interface LiveTask {
  readonly taskId: string
  /** Absent where the parent was taken from the stack before the task was made, as a delegation does. */
  readonly rootTaskId?: string | undefined
  readonly parentTaskId?: string | undefined
  readonly cwd: string
  /** The provider of its model. */
  readonly api?: { getModel(): { readonly id: string } }
  diffViewProvider: LiveDiffView
  readonly toolRepetitionDetector: LiveRepetitionDetector
  readonly fileContextTracker?: { markFileAsEditedByRoo(path: string): void }
  ask(type: string, text?: string, partial?: boolean, ...more: unknown[]): Promise<LiveAnswer>
  pushToolResultToUserContent(result: LiveToolResult): boolean
  on?(event: 'taskAborted', listener: () => void): unknown
  /** Private there, and called before each request. */
  getSystemPrompt?(): Promise<string>
}

/** The answer to an ask of a task. */
export interface LiveAnswer {
  response: string
  text?: string
  images?: string[]
}

/** A tool call as the dispatcher has it. */
export interface LiveToolUse {
  readonly id?: string
  readonly name: string
  /** As the model wrote them, texts only. */
  readonly params: Readonly<Record<string, unknown>>
  /** As the tool takes them; absent for custom tools of some models. */
  readonly nativeArgs?: object
  readonly partial?: boolean
}

/** What the detector says to a call. */
export interface LiveRepetition {
  allowExecution: boolean
  askUser?: { messageKey: string; messageDetail: string }
}

/** What is used of a task's detector of repetitions: it hears of each call before the call runs. */
export interface LiveRepetitionDetector {
  /** Called, synchronously, with each complete tool call that is no MCP block. */
  check(block: LiveToolUse): LiveRepetition
}

/** A tool result as it goes to the model. */
export interface LiveToolResult {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  content?: unknown
  is_error?: boolean
}

/** What the tools use of the diff view. */
export interface LiveDiffView {
  newProblemsMessage?: string | undefined
  userEdits?: string | undefined
  editType?: 'create' | 'modify' | undefined
  isEditing: boolean
  originalContent: string | undefined
  open(relPath: string): Promise<void>
  update(accumulatedContent: string, isFinal: boolean): Promise<void>
  saveChanges(diagnosticsEnabled?: boolean, writeDelayMs?: number): Promise<LiveSaved>
  saveDirectly(
    relPath: string,
    content: string,
    openFile?: boolean,
    diagnosticsEnabled?: boolean,
    writeDelayMs?: number,
    /** Zoo Code passes one more. */
    ...more: unknown[]
  ): Promise<LiveSaved>
  pushToolWriteResult(task: unknown, cwd: string, isNewFile: boolean): Promise<string>
  revertChanges(): Promise<void>
  scrollToFirstDiff(): void
  reset(): Promise<void>
}

/** What a diff view says of a save. */
export interface LiveSaved {
  newProblemsMessage: string | undefined
  userEdits: string | undefined
  finalContent: string | undefined
}

/** What is used of the hub of MCP servers. */
export interface LiveMcpHub {
  callTool(server: string, tool: string, args?: Record<string, unknown>, ...more: never[]): Promise<LiveMcpResult>
}

/** What an MCP tool answers there. */
export interface LiveMcpResult {
  content: ({ type: 'text'; text: string } | { type: 'image' | 'audio' | 'resource' })[]
  isError?: boolean
}

/** What of a provider says how its tasks run commands. */
export interface LiveProvider {
  getState(): Promise<{
    readonly terminalShellIntegrationDisabled?: boolean | undefined
    readonly alwaysAllowFollowupQuestions?: boolean | undefined
  }>
  readonly contextProxy: LiveSettings
  /** Private there: whatever comes by `onDidReceiveMessage` is handled as a message of its own web view. */
  setWebviewMessageListener(webview: LiveWebview): void
}

/** What is used of Roo's settings. */
export interface LiveSettings {
  getValue(key: 'execaShellPath' | 'terminalShellIntegrationDisabled' | 'disabledTools' | 'taskHistory'): unknown
  setValue(key: 'execaShellPath', value: string | undefined): PromiseLike<unknown>
  setValue(key: 'disabledTools', value: string[] | undefined): PromiseLike<unknown>
}

/** A web view that hands in messages. */
export interface LiveWebview {
  onDidReceiveMessage(listener: (message: LiveMessage) => PromiseLike<unknown>): { dispose(): void }
}

/** A message of its web view that changes settings. */
export interface LiveMessage {
  readonly type: 'updateSettings'
  readonly updatedSettings: {
    readonly execaShellPath?: string | undefined
    readonly terminalShellIntegrationDisabled?: boolean | undefined
  }
}
