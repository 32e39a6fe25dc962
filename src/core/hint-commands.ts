/**
 * The parts of hints that name a command: `Look at it again ${BY_DIFF}.` The review page and the terminal review replace them, because
 * they offer the same steps by buttons and keys.
 */
export const BY_DIFF = "with 'escrow diff SESSION'"
export const BY_MERGE = "with 'escrow commit SESSION --merge'"
export const BY_EDIT = "with e in 'escrow review SESSION', or on the page of 'escrow serve'"
