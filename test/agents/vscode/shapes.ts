/// <reference types="vscode" />
import type {
  ClineAsk,
  ClineAskResponse,
  CustomToolDefinition,
  GlobalSettings,
  McpToolCallResponse,
  TaskLike,
} from '@roo-code/types'
import type * as vscode from 'vscode'
import {
  type IntentGate,
  type KeptNames,
  type LiveAnswer,
  type LiveMcpHub,
  type LiveTask,
  type RooCustomTool,
  type RooToolContext,
  stagedReview,
} from '../../../src/agents/roo/index.js'
import { modalHuman } from '../../../src/hooks/index.js'
import type { Workspace } from '../../../src/index.js'

/** The interfaces that we pass to these hosts match their published types. The compiler is the test; nothing here is called. */
export const shapes = {
  review: (api: typeof vscode, workspace: Workspace) => stagedReview<vscode.Uri>(api, workspace),
  modal: (api: typeof vscode) => modalHuman(api.window),
  conversation: (task: TaskLike): RooToolContext['task'] => ({ taskId: task.taskId, rootTaskId: task.rootTaskId }),
  answer: (answer: { response: ClineAskResponse; text?: string; images?: string[] }): LiveAnswer => answer,
  approvals: ['tool', 'command', 'use_mcp_server', 'followup', 'mistake_limit_reached'] satisfies ClineAsk[],
  hub: (hub: {
    callTool(
      server: string,
      tool: string,
      args?: Record<string, unknown>,
      source?: 'global' | 'project',
    ): Promise<McpToolCallResponse>
  }): LiveMcpHub => hub,
  tool: ({ name, description, execute }: RooCustomTool): Omit<CustomToolDefinition, 'parameters'> => {
    return { name, description, execute }
  },
  setting: (settings: GlobalSettings): ReturnType<KeptNames['get']> => settings.disabledTools,
  gate: (gate: IntentGate) => gate.sync(),
  // The published schema type is that of Roo's zod, which does not know another release's types.
  // @ts-expect-error this is the difference
  whole: (tool: RooCustomTool): CustomToolDefinition => tool,
  // @ts-expect-error a task as published has no diff view: only the running one can be governed
  live: (task: TaskLike): LiveTask => task,
}
