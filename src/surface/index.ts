/**
 * What escrowfs's own surfaces (the command line, the web page, the editor, the hosts' adapters) need beyond the public API: keys
 * and admission, hosts' settings, text as people read it, a browser, an editor, a pager, the loopback server, the ledger as a history.
 *
 * It only re-exports: nothing is decided here, and a program that uses the package cannot import it.
 */
export {
  admitAgent,
  admitTruster,
  findOldState,
  hookToken,
  makeReviewerKey,
  makeSigningKey,
  migrateOldState,
  type OldState,
} from '../access/index.js'
export {
  applyClients,
  type ClientFile,
  type ClientOptions,
  type ForeignSetting,
  type FoundClient,
  findClients,
  foreignSettings,
  planClients,
  probeEntry,
} from '../client-settings/index.js'
export { authorOf } from '../core/line-author.js'
export { nearest } from '../core/nearest.js'
export { oneLine, type PrintablePart, printable, printableParts } from '../core/printable.js'
export { openBrowser } from '../host/browser.js'
export { editText } from '../host/editor.js'
export {
  bearerOf,
  foreignTo,
  isSameSecret,
  type LoopbackServer,
  listenOnLoopback,
  newToken,
  PATIENCE,
  type Patience,
} from '../host/loopback.js'
export { showPaged } from '../host/pager.js'
export { HOME_HOSTS, type HostName, hostOfProgram } from '../hosts/index.js'
export { ownerSocketOf, type SessionState, stateOfSession } from '../inbox/index.js'
export { attentionTitle } from '../review/groups.js'
export { type Highlighter, loadHighlighter, type Token } from '../review/highlight.js'
export { type TextSpan, wordDiff } from '../review/word-diff.js'
export { flagReasons } from '../stage/index.js'
export { refusalsIn } from '../terminal/index.js'
export {
  type BlamedFile,
  type HistoryEntry,
  intentOf,
  pathsOf,
  readBlamed,
  toHistoryEntry,
} from '../trace/index.js'
