/**
 * Tiers: decides which staged changes policy releases without a person.
 *
 * In: the tiers of `policy.yaml` as a person accepted it, and changes with their class, facts and lines. Out: for each change the tier
 * that releases it, or the reasons why a person has to look. Every doubt is a reason.
 * Must not happen here: an approval, a commit, a file read, a default that releases anything.
 */
export { decideRelease, rulesDigest } from './decide.js'
