/**
 * Answers hosts that ask before they run a tool themselves: the hooks of clients. It reads a session without opening it, so it
 * answers while another process owns the session.
 *
 * Data enters as a tool call and the files of the workspace. It leaves as a denial or nothing; denials go to the ledger, or to
 * the spool inside a mount. Each hook is a new process, so the room must load quickly: modules that few calls need are imported on
 * first use.
 *
 * Writes to no stage, and uses up no answer that the call itself will need.
 */
export type { CallJudge, JudgedCall } from './call-judge.js'
export { openJudge, openJudges } from './judge.js'
export type { JudgeOptions } from './judged-session.js'
export { openReplayJudges, REPLAY_ROOT, type ReplayJudges, type ReplayRules } from './replay-judge.js'
