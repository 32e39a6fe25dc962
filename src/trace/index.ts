/**
 * The ledger: a hash chain of records of all calls, decisions and writes, one JSON line each.
 *
 * In: drafts of records. Out: lines of `agent_trace.jsonl`, signed if a key is set, and data computed from
 * them: history, blame by line, lessons, statistics, exports, and the faults that verification finds.
 * Must not happen here: a decision, a change of any file but the ledger and the files derived from it.
 */
export {
  attributeFile,
  type Comparison,
  compareContents,
  linesOfChange,
} from './attribution.js'
export { editedLines } from './authorship.js'
export type { PathContent } from './blame.js'
export { blameContents } from './blame-contents.js'
export { type BlamedFile, readBlamed } from './blamed-file.js'
export { Accepted, isCovered, linesBehind } from './coverage.js'
export { type DraftFields, newDraft } from './draft.js'
export { type FileAttribution, parseDraft, type RecordDraft } from './draft-schema.js'
export { intentOf, timeOf } from './fields.js'
export type { Fold } from './fold.js'
export { type HistoryEntry, pathsOf, refusalsOf, toHistoryEntry } from './history-entry.js'
export { type IntentMap, parseMap, renderMap } from './intent-map/document.js'
export { type MapChange, updateMap } from './intent-map/update.js'
export { fingerprintOf, isReviewerKey, knownKeys, makeReviewerKey, makeSigningKey, readSigningKey } from './keys.js'
export { type LedgerStore, openLedger } from './ledger.js'
export { formatLesson, isSameLesson, type Lesson, lessonsIn } from './lessons.js'
export {
  type DataOf,
  type FileLines,
  type OwnRecordOf,
  ownRecordOf,
  type RecordedChange,
  TRACE_TYPES,
  type TraceType,
} from './own-record.js'
export { splitDraft } from './split.js'
export { openRefs } from './vcs.js'
export { openProposals, readProposals, readSessionWork } from './work-events.js'
