/** Reads the recorded tool calls of clients as their adapters read live ones, for a replay. */
export { type HostCall, type Ruling, ruleOnCall } from '../hook/ruling.js'
export { type HistoryHost, hostCallOf } from './host-call.js'
