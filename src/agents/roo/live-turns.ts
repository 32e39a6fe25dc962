import type { HookEngine } from '../../hooks/index.js'
import type { LiveAnswer } from './live.js'

export interface LiveTurnsOptions {
  readonly engine: HookEngine
  readonly taskId: string
  /** Whether the host answers its model's questions by itself now; never unless told. */
  readonly answersItself?: (() => Promise<boolean>) | undefined
}

/** Asks a person answers to say what comes next, once the model has nothing left to do. */
const BETWEEN_TURNS = new Set(['completion_result', 'resume_task', 'resume_completed_task'])

/**
 * When a person has spoken. The host's event for it fires on every change of its queue of messages, in the middle of a turn too, so
 * turns go by the answers to its asks.
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
