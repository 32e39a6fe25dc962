import { randomUUID } from 'node:crypto'
import { gitUser } from '../os/git.js'
import { blobsIn } from '../os/git-batch.js'
import { fieldsOf, isObjectId } from './entries.js'
import type { Git } from './program.js'

/** Git notes about the authors of lines: `refs/notes/ai`, one note for each commit, as git-ai writes and reads them. */
export const NOTES_REF = 'refs/notes/ai'

/** Longer notes are ignored, and those after this many bytes in one reading: anybody can write one. */
const MAX_NOTE = 4 * 1024 * 1024
const MAX_NOTES = 128 * 1024 * 1024
/** Hooks of the repository do not run when notes change. */
const NO_HOOKS = ['-c', 'core.hooksPath=/dev/null']

/** The notes of a ref: the id of each note's blob by the commit that it is about. */
export interface NoteTree {
  /** The newest commit of the ref; undefined without one. */
  readonly tip: string | undefined
  readonly blobs: ReadonlyMap<string, string>
  /** Paths of notes that are not two digits, a slash and the rest. Git can merge only trees of one form. */
  readonly odd: readonly string[]
}

/** Reads which commits have a note. */
export function noteTree(git: Git, ref = NOTES_REF): NoteTree {
  const tip = git.query(['rev-parse', '-q', '--verify', `${ref}^{commit}`])
  const blobs = new Map<string, string>()
  const odd: string[] = []
  if (tip === undefined) return { tip, blobs, odd }
  for (const line of fieldsOf(git.output(['ls-tree', '-r', '-z', '--full-tree', tip]))) {
    const [, blob, path] = /^100\d{3} blob ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? []
    const commit = path?.replaceAll('/', '')
    if (blob === undefined || path === undefined || commit === undefined || !isObjectId(commit)) continue
    blobs.set(commit, blob)
    if (path !== placeOf(commit)) odd.push(path)
  }
  return { tip, blobs, odd }
}

function placeOf(commit: string): string {
  return `${commit.slice(0, 2)}/${commit.slice(2)}`
}

/** The notes of commits. */
export function notesOf(git: Git, { blobs }: NoteTree, commits: ReadonlySet<string>): ReadonlyMap<string, string> {
  return readNotes(git, new Map([...blobs].filter(([commit]) => commits.has(commit))))
}

/** The texts of notes, by commit. */
export function readNotes(git: Git, blobs: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>()
  if (blobs.size === 0) return found
  const wanted = smallBlobs(git, blobs)
  const input = wanted.map(([, blob]) => `${blob}\n`).join('')
  const { stdout } = git.run(['cat-file', '--batch'], { input, encoding: 'latin1' })
  const contents = blobsIn(stdout)
  for (const [commit] of wanted) {
    const content = contents.next().value
    if (content) found.set(commit, content.toString())
  }
  return found
}

/** The notes that are small enough to be read, by commit and blob. */
function smallBlobs(git: Git, blobs: ReadonlyMap<string, string>): [commit: string, blob: string][] {
  const input = [...blobs.values()].map((blob) => `${blob}\n`).join('')
  const checked = git.run(['cat-file', '--batch-check=%(objecttype) %(objectsize)'], { input }).stdout.split('\n')
  let remaining = MAX_NOTES
  return [...blobs].filter((_, at) => {
    const size = Number(/^blob (\d+)$/.exec(checked[at] ?? '')?.[1] ?? Number.POSITIVE_INFINITY)
    if (size > MAX_NOTE || size > remaining) return false
    remaining -= size
    return true
  })
}

/**
 * Writes notes as one commit on top of a tree of notes. Nothing changes if the ref moved since the tree was read.
 * @param other the tip of another ref whose notes are among them: the second parent
 * @returns false if the ref moved
 */
export function writeNotes(
  git: Git,
  { tip, odd, blobs }: NoteTree,
  notes: ReadonlyMap<string, string>,
  other?: string,
): boolean {
  const temporaryRef = `refs/escrow/notes-${randomUUID()}`
  const parents = [
    ...(tip === undefined ? [] : [`from ${tip}\n`]),
    ...(other === undefined ? [] : [`merge ${other}\n`]),
  ]
  const header = [
    `commit ${temporaryRef}\n`,
    `committer ${committer(git.root)}\n`,
    data('escrow: notes about lines\n'),
    ...parents,
  ]
  const moves = odd.flatMap((path) => {
    const commit = path.replaceAll('/', '')
    const blob = blobs.get(commit)
    return [
      `D ${path}\n`,
      ...(notes.has(commit) || blob === undefined ? [] : [`M 100644 ${blob} ${placeOf(commit)}\n`]),
    ]
  })
  const changes = [...notes].flatMap(([commit, text]) => [`M 100644 inline ${placeOf(commit)}\n`, data(text)])
  const input = [...header, ...moves, ...changes, '\ndone\n'].join('')
  git.output([...NO_HOOKS, 'fast-import', '--quiet', '--done', '--date-format=now'], { input })
  const moved = `update ${NOTES_REF} ${temporaryRef} ${tip ?? '0'.repeat(git.emptyTree().length)}\ndelete ${temporaryRef}\n`
  const isMoved = git.run([...NO_HOOKS, 'update-ref', '--no-deref', '--stdin'], { input: moved }).status === 0
  if (!isMoved) git.run([...NO_HOOKS, 'update-ref', '-d', temporaryRef])
  return isMoved
}

/** Moves the ref to the notes of another one that has all of ours. Returns false if it moved meanwhile. */
export function takeNotes(git: Git, { tip }: NoteTree, other: string): boolean {
  const args = [...NO_HOOKS, 'update-ref', '--no-deref', NOTES_REF, other, tip ?? '0'.repeat(other.length)]
  return git.run(args).status === 0
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}

function committer(root: string): string {
  const { name, email = 'escrow@localhost' } = gitUser(root)
  const plain = (part: string) => part.replace(/[<>\p{C}]/gu, '')
  return `${plain(name)} <${plain(email)}> now`
}
