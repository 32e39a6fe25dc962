declare const relative: unique symbol
/**
 * A path inside the workspace: relative to the root, `/` between segments, no empty, `.` or `..` segment; `''` is the
 * root itself. Only this file makes one, so what has not been confined cannot reach a layer.
 */
export type RelPath = string & { readonly [relative]: true }

export const ROOT = '' as RelPath
