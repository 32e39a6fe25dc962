import { asRelPath, digest, type FileState, type StagedChange } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { GITLINK, type GitEntry, treeDiff } from './entries.js'
import { Git } from './program.js'

/** A change that a git commit made, as if it were staged. */
interface CommitChange {
  readonly change: StagedChange
  /** The content that it replaced; null if there was none. */
  readonly base: Uint8Array | null
}

/**
 * The changes of a git commit below a workspace's root, compared with its first parent. A rename is a deletion and a creation.
 * @throws EscrowError `unsupported` if there is no such commit
 */
export function changesOfCommit(root: string, commit: string): CommitChange[] {
  const git = new Git(root)
  const id = commit.startsWith('-') ? undefined : git.query(['rev-parse', '-q', '--verify', `${commit}^{commit}`])
  if (id === undefined)
    throw new EscrowError('unsupported', `${JSON.stringify(commit)} does not name a git commit here.`)
  const parent = git.query(['rev-parse', '-q', '--verify', `${id}^`])
  return treeDiff(git, parent, id, ['--relative']).map(({ path, before: old, after: now }) => {
    const [before, after] = [sideOf(git, old), sideOf(git, now)]
    const kind = before === null ? 'create' : after === null ? 'delete' : old?.id === now?.id ? 'mode' : 'modify'
    const change: StagedChange = {
      path: asRelPath(path),
      kind: after?.state.type === 'symlink' ? 'link' : kind,
      before: before?.state ?? null,
      after: after?.state ?? null,
      drifted: false,
      calls: [],
      content: () => after?.content ?? new Uint8Array(),
    }
    return { change, base: before?.content ?? null }
  })
}

/** A submodule has no content here. */
function sideOf(
  git: Git,
  entry: GitEntry | undefined,
): { readonly state: FileState; readonly content: Uint8Array } | null {
  if (entry === undefined) return null
  const { mode, id } = entry
  const content = mode === GITLINK ? Buffer.from(id) : git.blob(id)
  const type = mode === '120000' || mode === GITLINK ? 'symlink' : 'file'
  return { state: { type, digest: digest(content), mode: mode === '100755' ? 0o755 : 0o644 }, content }
}
