import { EscrowError } from '../core/api-error.js'
import type { ImportReport } from '../core/git-api.js'
import { mergeNotes } from '../core/note-text.js'
import { repositoryAt, updateNotes } from './adopt.js'
import { NOTES_REF, noteTree, readNotes, takeNotes, writeNotes } from './notes.js'
import type { Git } from './program.js'

/**
 * Merges the notes of another ref, such as one fetched from another clone. A commit that both have a note about gets
 * the lines, sessions and people of both.
 * @throws EscrowError `unsupported` if there is no such ref, or no note in it
 */
export function importNotes(root: string, ref: string): ImportReport {
  const git = repositoryAt(root)
  const theirs = noteTree(git, ref)
  const { tip } = theirs
  if (tip === undefined) git.requireUsable()
  // A branch has files, and no notes. Without this check our notes ref could be moved to it.
  if (tip === undefined || theirs.blobs.size === 0 || ref.startsWith('-')) throw noSuchNotes(ref)
  const imported = updateNotes(git, () => {
    const ours = noteTree(git)
    const different = new Map([...theirs.blobs].filter(([commit, blob]) => ours.blobs.get(commit) !== blob))
    if (contains(git, ours.tip, tip)) return []
    if (ours.tip === undefined || contains(git, tip, ours.tip)) {
      return takeNotes(git, ours, tip) ? [...different.keys()] : undefined
    }
    const [here, there] = [readNotes(git, ours.blobs), readNotes(git, different)]
    const merged = [...there].map(([commit, note]) => {
      const existing = here.get(commit)
      return [commit, existing === undefined ? note : mergeNotes(commit, existing, note)] as const
    })
    const changed = new Map(merged.filter(([commit, note]) => here.get(commit) !== note))
    return writeNotes(git, ours, changed, tip) ? [...changed.keys()] : undefined
  })
  return { imported }
}

function contains(git: Git, tip: string | undefined, other: string): boolean {
  return tip !== undefined && git.run(['merge-base', '--is-ancestor', other, tip]).status === 0
}

function noSuchNotes(ref: string): EscrowError {
  return new EscrowError('unsupported', `There are no git notes at ${JSON.stringify(ref)}.`, {
    hint: `Fetch them first: git fetch origin ${NOTES_REF}:refs/notes/origin/ai`,
  })
}
