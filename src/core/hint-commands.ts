/**
 * What hints about a review say of the command that does the next step. The review page and the terminal review offer these steps by
 * other means, and put their own words in the place of these.
 */
export const BY_DIFF = "with 'escrow diff'"
export const BY_MERGE = "with 'escrow commit --merge'"
