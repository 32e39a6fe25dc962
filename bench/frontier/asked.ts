import { writeFileSync } from 'node:fs'
import { findHistories, runBacktest } from '../../src/backtest/index.js'

/** The number of questions in a session of the transcripts under a policy. */
export async function promptsPerSession(base: string, transcripts: string, policy: string): Promise<number> {
  const file = `${base}/transcripts.jsonl`
  writeFileSync(file, transcripts)
  const { prompts } = await runBacktest({ files: findHistories([file]), rules: { policy } })
  return prompts.mean
}
