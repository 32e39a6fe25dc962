/**
 * The parts beyond the public API that escrowfs's own surfaces (the command line, the web page, the editor, the hosts' adapters) need: keys
 * and admission, hosts' settings, text as people read it, a browser, an editor, a pager, the loopback server, the ledger as a history.
 *
 * It only re-exports. Programs that use the package cannot import it.
 */

export { codeOf } from '../../overlay/index.js'
export {
  admitAgent,
  admitPerson,
  admitTruster,
  assertOutsideSession,
  findOldState,
  hookToken,
  makeReviewerKey,
  makeSigningKey,
  migrateOldState,
  type OldState,
  proposeLike,
  proposeScope,
} from '../access/index.js'
export {
  applyClients,
  type ClientFile,
  type ClientOptions,
  type ForeignSetting,
  type FoundClient,
  findClients,
  foreignSettings,
  type GitHookPlan,
  gitHooks,
  installLauncher,
  launcherDir,
  planClients,
  probeEntry,
} from '../client-settings/index.js'
export { briefCommand, commandLines, nameCommand } from '../core/command-text.js'
export { errorText } from '../core/error-text.js'
export { excerpt } from '../core/excerpt.js'
export { createFinder, findEach } from '../core/find-sequence.js'
export { BY_DIFF, BY_EDIT, BY_MERGE } from '../core/hint-commands.js'
export { isTooDeep, MAX_JSON_DEPTH } from '../core/json-depth.js'
export { authorOf } from '../core/line-author.js'
export { LongLineError, lineReader } from '../core/line-reader.js'
export { nearest } from '../core/nearest.js'
export { oneLine, type PrintablePart, printable, printableParts } from '../core/printable.js'
export { failuresOf, firstToFix, nameOfContainment, type Repair, type TriedContainment } from '../core/protection.js'
export { SerialQueue } from '../core/serial-queue.js'
export { shellWord } from '../core/shell-word.js'
export { shortRef } from '../core/short-ref.js'
export type { WorkEvent } from '../core/work.js'
export { HOME_HOSTS, type HostName, hostOfCommand, providerHosts, providerOf } from '../hosts/index.js'
export { agentOfSession, ownerSocketOf, type SessionState, stateOfSession } from '../inbox/index.js'
export { openBrowser } from '../os/browser.js'
export { cacheCompiledCode } from '../os/compile-cache.js'
export { sessionErrorText } from '../os/disk-full.js'
export { editText } from '../os/editor.js'
export { BodyTooLong, limitBody } from '../os/limited-body.js'
export {
  bearerOf,
  foreignTo,
  isSameSecret,
  type LoopbackServer,
  listenOnLoopback,
  newToken,
  PATIENCE,
  type Patience,
} from '../os/loopback.js'
export { showPaged } from '../os/pager.js'
export { completeHome, startDirectory } from '../os/start.js'
export { stateProblem } from '../os/state-problem.js'
export { layoutAt } from '../os/workspace-state.js'
export { appendOnto, createFile, ensureDir, replaceDurable } from '../os/write.js'
export { PASSES, type RefusedPath, type Remedy, remediesFor, scopeOf } from '../policy/index.js'
export {
  type ActionOn,
  attentionTitle,
  type Chapter,
  type ClassLabel,
  type CommandRun,
  chaptersOf,
  classLabel,
  compileGlob,
  countLines,
  describeEnd,
  describeReach,
  describeRun,
  describeRunInRows,
  foldReason,
  foldTitle,
  type Highlighter,
  isNewSince,
  type KeyOn,
  keysOf,
  type LastLook,
  loadHighlighter,
  type ReviewOrder,
  readLastLook,
  rejectionLines,
  relativeName,
  riskLines,
  type TextSpan,
  type Token,
  wordDiff,
  writeLastLook,
} from '../review/index.js'
export { byRisk } from '../risk/index.js'
export { flagReasons } from '../stage/index.js'
export {
  type EscapeReport,
  type FoundRepairs,
  formatRefusals,
  hidingDirOf,
  networkSummary,
  summaryOf,
} from '../terminal/index.js'
export {
  type BlamedFile,
  type HistoryEntry,
  intentOf,
  openProposals,
  pathsOf,
  readBlamed,
  readSessionWork,
  refusalsOf,
  TRACE_TYPES,
  timeOf,
  toHistoryEntry,
} from '../trace/index.js'
export { applyRepair, findRepairs, probedEscapes, triedContainments } from './containments.js'
export { packageRoot } from './package-root.js'
