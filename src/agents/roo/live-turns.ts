import type { HookEngine } from '../../hooks/index.js'
import type { LiveAnswer } from './live.js'

export interface LiveTurnsOptions {
  readonly engine: HookEngine
  readonly taskId: string
  /** Whether the host currently answers its model's questions itself; never by default. */
  readonly answersItself?: (() => Promise<boolean>) | undefined
}

/** Asks that a person answers between turns, when the model has nothing left to do. */
const BETWEEN_TURNS = new Set(['completion_result', 'resume_task', 'resume_completed_task'])

/**
 * Detects a person's messages by the answers to the host's asks. The host's own event fires on every change of its message
 * queue, also within a turn.
 */
export class LiveTurns {
  constructor(private readonly options: LiveTurnsOptions) {}

  async onAnswer(type: string, { response }: LiveAnswer): Promise<void> {
    if (response !== 'messageResponse') return
    const { engine, taskId, answersItself } = this.options
    if (BETWEEN_TURNS.has(type)) await engine.startTurn(taskId)
    else if (type === 'followup' && !(await answersItself?.())) engine.forgetRefusals(taskId)
  }
}
