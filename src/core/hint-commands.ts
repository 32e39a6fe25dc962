/**
 * The parts of hints that name a command: `Look at it again ${BY_DIFF}.` The review page and the terminal review replace them, because
 * they offer the same steps by buttons and keys.
 */
export const BY_DIFF = "with 'escrow diff'"
export const BY_MERGE = "with 'escrow commit --merge'"
