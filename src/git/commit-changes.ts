import { asRelPath, digest, type FileState, type StagedChange } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { fieldsOf, GITLINK } from './entries.js'
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
  if (id === undefined) throw new EscrowError('unsupported', `${JSON.stringify(commit)} is no git commit here.`)
  const parent =
    git.query(['rev-parse', '-q', '--verify', `${id}^`]) ?? git.output(['hash-object', '-t', 'tree', '-w', '--stdin'])
  const fields = fieldsOf(git.output(['diff-tree', '-r', '-z', '--no-renames', '--relative', parent, id]))
  const found: CommitChange[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, oldMode = '', mode = '', oldId = '', newId = ''] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(fields[at] ?? '') ?? []
    const [before, after] = [sideOf(git, oldMode, oldId), sideOf(git, mode, newId)]
    const kind = before === null ? 'create' : after === null ? 'delete' : oldId === newId ? 'mode' : 'modify'
    const change: StagedChange = {
      path: asRelPath(fields[at + 1] ?? ''),
      kind: after?.state.type === 'symlink' ? 'link' : kind,
      before: before?.state ?? null,
      after: after?.state ?? null,
      drifted: false,
      calls: [],
      content: () => after?.content ?? new Uint8Array(),
    }
    found.push({ change, base: before?.content ?? null })
  }
  return found
}

/** A submodule has no content here. */
function sideOf(
  git: Git,
  mode: string,
  id: string,
): { readonly state: FileState; readonly content: Uint8Array } | null {
  if (mode === '000000') return null
  const content = mode === GITLINK ? Buffer.from(id) : git.blob(id)
  const type = mode === '120000' || mode === GITLINK ? 'symlink' : 'file'
  return { state: { type, digest: digest(content), mode: mode === '100755' ? 0o755 : 0o644 }, content }
}
