/**
 * The used parts of a running Roo Code, by their shapes in 3.52. Its own types publish few of them, and none is
 * needed at run time.
 */

export interface LiveTask {
  readonly taskId: string
  /** Absent if the parent was removed before the task was created, as in a delegation. */
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
  /** Private in Roo; called before each request. */
  getSystemPrompt?(): Promise<string>
}

/** The answer to an ask of a task. */
export interface LiveAnswer {
  response: string
  text?: string
  images?: string[]
}

/** A tool call as Roo's dispatcher passes it. */
export interface LiveToolUse {
  readonly id?: string
  readonly name: string
  /** As the model wrote them: only texts. */
  readonly params: Readonly<Record<string, unknown>>
  /** As the tool gets them; absent for custom tools of some models. */
  readonly nativeArgs?: object
  readonly partial?: boolean
}

/** The detector's decision on a call. */
export interface LiveRepetition {
  allowExecution: boolean
  askUser?: { messageKey: string; messageDetail: string }
}

/** The used part of a task's repetition detector, which sees each call before it runs. */
export interface LiveRepetitionDetector {
  /** Called synchronously with each complete tool call that is not an MCP block. */
  check(block: LiveToolUse): LiveRepetition
}

/** A tool result for the model. */
export interface LiveToolResult {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  content?: unknown
  is_error?: boolean
}

/** The used part of the diff view. */
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
    /** Zoo Code passes another argument. */
    ...more: unknown[]
  ): Promise<LiveSaved>
  pushToolWriteResult(task: unknown, cwd: string, isNewFile: boolean): Promise<string>
  revertChanges(): Promise<void>
  scrollToFirstDiff(): void
  reset(): Promise<void>
}

/** The result of a save in the diff view. */
export interface LiveSaved {
  newProblemsMessage: string | undefined
  userEdits: string | undefined
  finalContent: string | undefined
}

/** The part of the hub of MCP servers that is used here. */
export interface LiveMcpHub {
  callTool(server: string, tool: string, args?: Record<string, unknown>, ...more: never[]): Promise<LiveMcpResult>
}

/** The result of an MCP tool. */
export interface LiveMcpResult {
  content: ({ type: 'text'; text: string } | { type: 'image' | 'audio' | 'resource' })[]
  isError?: boolean
}

/** The part of a provider that determines how its tasks run commands. */
export interface LiveProvider {
  getState(): Promise<{
    readonly terminalShellIntegrationDisabled?: boolean | undefined
    readonly alwaysAllowFollowupQuestions?: boolean | undefined
  }>
  readonly contextProxy: LiveSettings
  /** Private in Roo: it handles whatever arrives by `onDidReceiveMessage` as a message of its own web view. */
  setWebviewMessageListener(webview: LiveWebview): void
}

/** The used part of Roo's settings. */
export interface LiveSettings {
  getValue(key: 'execaShellPath' | 'terminalShellIntegrationDisabled' | 'disabledTools' | 'taskHistory'): unknown
  setValue(key: 'execaShellPath', value: string | undefined): PromiseLike<unknown>
  setValue(key: 'disabledTools', value: string[] | undefined): PromiseLike<unknown>
}

/** A web view that sends messages. */
export interface LiveWebview {
  onDidReceiveMessage(listener: (message: LiveMessage) => PromiseLike<unknown>): { dispose(): void }
}

/** A message of the web view that changes settings. */
export interface LiveMessage {
  readonly type: 'updateSettings'
  readonly updatedSettings: {
    readonly execaShellPath?: string | undefined
    readonly terminalShellIntegrationDisabled?: boolean | undefined
  }
}
