/**
 * The answer to a host that asks before it runs a tool itself: hooks of clients. It owns no session, writes no stage, and
 * answers while another process holds the session.
 *
 * In: a tool call. Out: a denial or nothing; denials go to the ledger. It must be quick to load: each hook is a new process.
 */
export { type CallJudge, type JudgedCall, type JudgeOptions, openJudge, openJudges } from './judge.js'
