/**
 * The overlay: a copy-on-write view over a directory. Changes are held in memory and logged, so that a crash loses none.
 *
 * In: reads of the real directory (the lower layer) and calls that change names, contents and attributes. Out: merged
 * reads, the list of staged changes, versions to restore, and the bytes of a stage log. Memfs inodes hold the contents;
 * unionfs serves large asynchronous reads.
 * Must not happen here: a decision whether a call is allowed, a change of the workspace on disk, an import from `src/`.
 * The only files written are the stage log and its packs (`stage-log.ts`, `compact.ts`).
 */
export { baseOfContent, stateNow } from './base.js'
export { type FileState, type StagedChange, sameContent, sameState } from './change.js'
export { compact } from './compact.js'
export { sizeOf } from './content.js'
export { creditedTo, type DirectoryMove, diffStage, mergedState, type StageDiff } from './diff.js'
export { type Digest, digest, digestInParts, EMPTY_DIGEST, PART, sha256hex } from './digest.js'
export type { DirectoryTimes } from './directory-times.js'
export { codeOf, Errno, errnoText, fsError } from './errno.js'
export { entryStamp, fileStamp, fileStampAt, isSettled } from './file-stamp.js'
export type { JsonValue } from './json.js'
export {
  type Attributes,
  type Entry,
  type EntryType,
  MAX_FILE_SIZE,
  type PutOptions,
  type ReadLayer,
  type WriteLayer,
} from './layer.js'
export { entryOf, type Lower, type LowerName, openLower, typeOfStats } from './lower.js'
export { contentOf } from './merged.js'
export type { ReadFile, WriteFile } from './open-file.js'
export { Overlay } from './overlay.js'
export { readPacked } from './pack.js'
export {
  ancestorsOf,
  asRelPath,
  childOf,
  isWithin,
  lexical,
  nameOf,
  parentOf,
  pathText,
  type RelPath,
  ROOT,
} from './path.js'
export { type CommittedPath, dropRedundant, reconcileCommitted, reconcileDiscarded } from './reconcile.js'
export type { ReconcilePlan } from './reconcile-plan.js'
export { openForReading, openRegular, readRegular } from './regular.js'
export { type Follow, type Inside, type Outside, type Resolved, Resolver } from './resolve.js'
export { revertPaths } from './revert.js'
export type { Mark, Version } from './snapshot.js'
export { redirects, sourcesInUse } from './sources.js'
export { foldName, foldsNames, spellingOf } from './spelling.js'
export { Stage } from './stage.js'
export type { Attribution, Base, EditData, StageEdit } from './stage-edit.js'
export { openStageLog, type Replay, replay, type StageFiles, type StageLog } from './stage-log.js'
export { stagedBytes } from './staged-bytes.js'
export { absentStats, bigStatsOf, statsOf } from './stats.js'
export { invalidateTick, memoizePerTick } from './tick.js'
export { touchedBy } from './touched.js'
export { lostDirectories, planTravel } from './travel.js'
export { pathsOf, type TreeNode } from './tree.js'
export type { UnionView } from './union-view.js'
export type { Inode } from './upper.js'
export { bytesBefore, diffVersions } from './version-diff.js'
