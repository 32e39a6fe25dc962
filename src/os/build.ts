/** The digest of the sources. The command's bundler defines it (`scripts/bundle.mjs`). */
declare const ESCROW_BUILD: string

/** Names a build of the command. Undefined in the library. */
export const BUILD = typeof ESCROW_BUILD === 'string' ? ESCROW_BUILD : undefined
