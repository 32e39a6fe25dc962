import { ORCHESTRATION } from '../core/layout.js'

/** Characters that HFS+ ignores in a name: `.g\u200cit` is `.git` there. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/** The name as a disk that folds case and normal forms compares it. */
export function foldName(path: string): string {
  // Upper case first, because only that maps ſ to s.
  return path.normalize('NFC').toUpperCase().toLowerCase()
}

/** Returns why no change may land at a path, whatever the branch has; undefined if changes may land. */
export function pathProblem(path: string): string | undefined {
  if (!path.isWellFormed() || /[\0\ufffd\\]/.test(path))
    return 'its name has a character that git or a disk cannot hold'
  const segments = path.split('/')
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    return 'it is not a path within the repository'
  if (segments.some(isGitDirectory)) return 'it belongs to git itself'
  const [first = ''] = segments
  if (foldName(plain(first)) === ORCHESTRATION) return 'rules, intents and the ledger are committed by a person'
  if (segments.some((segment) => foldName(plain(segment)) === '.gitmodules'))
    return 'a person commits changes of submodules'
  return undefined
}

/** Removes the parts of a name that Windows and HFS+ ignore. */
function plain(segment: string): string {
  return segment
    .replace(IGNORED, '')
    .replace(/:.*$/s, '')
    .replace(/[ .]+$/, '')
}

function isGitDirectory(segment: string): boolean {
  const name = foldName(plain(segment))
  return name === '.git' || /^git~\d+$/.test(name)
}
