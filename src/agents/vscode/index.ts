/** VS Code: what is staged, reviewed in the editor. */
export type { UriLike, VscodeLike } from './api.js'
export { STAGED_SCHEME, type StagedReview, stagedReview } from './staged-review.js'
