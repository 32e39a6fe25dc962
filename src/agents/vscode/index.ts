/** Review of staged changes in VS Code. Published as `escrowfs/vscode`. */
export type { ContentProvider, UriLike, VscodeLike } from './api.js'
export { type StagedReview, stagedReview } from './staged-review.js'
export {
  displayKey,
  plainName,
  type Side,
  type SideRef,
  STAGED_SCHEME,
  type StagedSides,
  sideRefOf,
  stagedSides,
} from './staged-sides.js'
