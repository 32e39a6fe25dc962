import { expect, onTestFinished } from 'vitest'
import { HookEngine, type HookEngineOptions, type ToolHook } from '../../src/hooks/index.js'
import { openWorkspace, type Session, type Workspace } from '../../src/index.js'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'

export interface Setup {
  readonly project: TestWorkspace
  readonly engine: HookEngine
  session(): Promise<Session>
  workspace(): Workspace
  call(
    toolName: string,
    params?: Record<string, unknown>,
  ): { taskId: string; cwd: string; toolName: string; params: object & Record<string, unknown> }
}

/** Creates an engine on a new workspace; both are removed after the test. */
export function setUp(options: Partial<HookEngineOptions> = {}, policy?: string): Setup {
  const project = testWorkspace()
  if (policy !== undefined) project.write('.orchestration/policy.yaml', policy)
  let opened: Workspace | undefined
  const open: HookEngineOptions['open'] = async (root, more) => {
    opened = await openWorkspace(root, more)
    return opened
  }
  const engine = new HookEngine({ open, ...options })
  onTestFinished(() => engine.close())
  const workspace = () => opened ?? expect.unreachable('nothing was opened')
  return {
    project,
    engine,
    workspace,
    session: () => workspace().session({ id: 'task-1' }),
    call: (toolName, params = {}) => ({ taskId: 'task-1', cwd: project.root, toolName, params }),
  }
}

export const hook = (preExecute: ToolHook['preExecute'], more: Partial<ToolHook> = {}): ToolHook => ({
  preExecute,
  postExecute: () => undefined,
  ...more,
})
