/**
 * Git: turns approved changes into commits of the repository that contains the workspace.
 *
 * In: approved changes with their contents, and the commit's message. Out: objects in the repository, and, once the changes
 * are on disk, a moved branch and its index entries. Also reads the versions of a file and lines that the ledger had, and
 * reads and writes git notes about the authors of lines. The person's own git does all of it.
 * Must not happen here: a write to the working tree, a verdict, a record of the ledger.
 */

export { adoptCommits } from './adopt.js'
export { changesOfCommit } from './commit-changes.js'
export { fieldsOf, GITLINK, type GitEntry, indexInfo } from './entries.js'
export { fileHistory } from './file-history.js'
export { importNotes } from './import-notes.js'
export { landGit } from './land.js'
export { type GitLanding, gitLandingOf } from './landing.js'
export { ledgerLines } from './ledger-history.js'
export { listedFiles } from './listed-files.js'
export { agentMessage, filesOf, messageOf, purposeOf, subjectOf } from './message.js'
export { formatPatches } from './patches.js'
export { type GitGroup, type PreparedGit, prepareGit } from './prepare.js'
export { Git } from './program.js'
