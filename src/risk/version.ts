/** The version of the rules. Raise it with each change that can find something else in the same two contents. */
export const RULES = 1
