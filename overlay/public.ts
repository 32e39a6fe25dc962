/** The filesystem layer: a copy-on-write view over a directory, staged in memory, logged on disk. */
// Published as `escrowfs/overlay`: a change here is a change of the public API. The rooms of this repository import `index.ts`.
export { baseOf, baseOfContent, MERGE_LIMIT, stateNow } from './base.js'
export { type FileState, type StagedChange, type StagedKind, sameContent, sameState } from './change.js'
export { compact } from './compact.js'
export { creditedTo, type DirectoryMove, diffStage, mergedState, type StageDiff } from './diff.js'
export { type Digest, digest, EMPTY_DIGEST } from './digest.js'
export { codeOf, Errno, errnoNumber, errnoText, type FsError, fsError } from './errno.js'
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
export { type Lower, openLower } from './lower.js'
export type { OpenFile, ReadFile, WriteFile } from './open-file.js'
export { Overlay } from './overlay.js'
export type { OverlayOptions } from './overlay-options.js'
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
export { openRegular, readRegular } from './regular.js'
export { type Inside, type Outside, type Resolved, Resolver } from './resolve.js'
export { revertPaths } from './revert.js'
export type { Mark, Version } from './snapshot.js'
export { type SourceInUse, sourcesInUse } from './sources.js'
export { foldName, foldsNames, type Spelling, spellingOf } from './spelling.js'
export { Stage } from './stage.js'
export type { Attribution, Base, EditData, PackSpan, StageEdit } from './stage-edit.js'
export { openStageLog, type Replay, replay, type StageFiles, type StageLog } from './stage-log.js'
export { stagedBytes } from './staged-bytes.js'
export { lostDirectories, planTravel, type Since, type TravelPlan } from './travel.js'
export { pathsOf, type TreeNode } from './tree.js'
export { bytesBefore, diffVersions } from './version-diff.js'
