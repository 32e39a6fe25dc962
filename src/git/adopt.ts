import { EscrowError } from '../core/api-error.js'
import type { FileVersion } from '../core/file-history.js'
import type { AdoptOptions, AdoptReport, GitRewrite } from '../core/git-api.js'
import { renewNote } from '../core/note-text.js'
import { findGit } from '../os/git.js'
import { fieldsOf, isObjectId } from './entries.js'
import { versionsOf } from './file-history.js'
import { readHookCall } from './hook-calls.js'
import { notesOf, noteTree, writeNotes } from './notes.js'
import { Git } from './program.js'
import { prefixOf } from './repository.js'
import { squashSources } from './squash-sources.js'

/** The most commits, and files in them, for which one call writes notes. */
const MAX_COMMITS = 500
const MAX_FILES = 500
/** How often writing begins again because another program changed the notes. */
const TRIES = 10

/** Writes the notes of commits: see `LedgerStore.commitNotes`. */
type WriteNotes = (
  histories: readonly (readonly FileVersion[])[],
  commits: ReadonlySet<string>,
  prefix: string,
) => Promise<ReadonlyMap<string, string>>

/**
 * Writes and saves notes about the lines of commits.
 * @throws EscrowError `unsupported` without a repository, or for a name that is not a commit
 */
export async function adoptCommits(root: string, options: AdoptOptions, write: WriteNotes): Promise<AdoptReport> {
  const { commits, histories, prefix, left } = findAdoption(root, options)
  return { written: saveNotes(root, await write(histories, commits, prefix)), left }
}

/** The commits that get notes, with what is needed to write them. */
interface Adoption {
  readonly commits: ReadonlySet<string>
  /** The versions of each file that they changed. */
  readonly histories: readonly (readonly FileVersion[])[]
  /** The workspace's root below the repository's top. */
  readonly prefix: string
  /** How many commits are left out. */
  readonly left: number
}

/**
 * Finds commits, the commits that they replaced, and the files that they changed. Commits that git no longer has are
 * left out.
 */
function findAdoption(root: string, { revisions = [], rewrites = [], hook }: AdoptOptions): Adoption {
  const git = repositoryAt(root)
  const report = hook === undefined ? undefined : readHookCall(git, hook)
  const replaced = replacedBy(git, [...rewrites, ...(report?.rewrites ?? [])])
  const listed = listCommits(git, revisions)
  const squashed = squashSources(git, [...listed, ...listCommits(git, report?.arrived ?? [])])
  for (const [commit, from] of squashed) if (!replaced.has(commit)) replaced.set(commit, from)
  const files = filesOf(git, [...new Set([...replaced.keys(), ...listed])])
  const commits = new Set<string>()
  const paths = new Set<string>()
  for (const [commit, changed] of files) {
    if (commits.size >= MAX_COMMITS || paths.size + changed.length > MAX_FILES) break
    commits.add(commit)
    for (const path of changed) paths.add(path)
  }
  const tips = tipsOf(git, [...commits])
  const notes = noteTree(git)
  const histories = tips.flatMap((tip) => [...paths].map((path) => versionsOf(git, tip, path, { replaced, notes })))
  return { commits, histories, prefix: prefixOf(git), left: files.size - commits.size }
}

/** Maps each commit to the newest commits that it replaced. Leaves out commits that git does not have. */
function replacedBy(git: Git, rewrites: readonly GitRewrite[]): Map<string, readonly string[]> {
  const all = new Map<string, string[]>()
  for (const { commit, from } of rewrites) all.set(commit, [...(all.get(commit) ?? []), ...from])
  const known = new Set(
    existing(
      git,
      [...new Set([...all].flat(2))].filter((id) => isObjectId(id)),
    ),
  )
  return new Map(
    [...all].flatMap(([commit, from]) => {
      const old = from.filter((id) => known.has(id))
      return known.has(commit) ? [[commit, tipsOf(git, old)] as const] : []
    }),
  )
}

export function repositoryAt(root: string): Git {
  if (findGit(root) !== undefined) return new Git(root)
  throw new EscrowError('unsupported', `${root} is not in a git repository.`, { hint: "Run 'git init' first." })
}

/**
 * Writes notes for commits. The new note replaces what an older note of the commit says about the same lines.
 * @returns the commits whose note changed
 */
function saveNotes(root: string, notes: ReadonlyMap<string, string>): string[] {
  const git = repositoryAt(root)
  return updateNotes(git, () => {
    const tree = noteTree(git)
    const before = notesOf(git, tree, new Set(notes.keys()))
    const renewed = [...notes].map(([commit, note]) => {
      const old = before.get(commit)
      return [commit, old === undefined ? note : renewNote(commit, old, note)] as const
    })
    const changed = new Map(renewed.filter(([commit, note]) => before.get(commit) !== note))
    return changed.size === 0 || writeNotes(git, tree, changed) ? [...changed.keys()] : undefined
  })
}

/**
 * Repeats a change of the notes until no other program changed them meanwhile.
 * @param attempt returns undefined if one did
 */
export function updateNotes(git: Git, attempt: () => string[] | undefined): string[] {
  for (let tries = 0; tries < TRIES; tries++) {
    const done = attempt()
    if (done !== undefined) return done
  }
  throw new EscrowError('unsupported', `Other programs keep changing the git notes of ${git.root}.`, {
    hint: 'Nothing was changed. Try again.',
  })
}

/** The commits among ids that git has. */
function existing(git: Git, ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  const input = ids.map((id) => `${id}\n`).join('')
  const { stdout } = git.run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input })
  return stdout.split('\n').flatMap((line) => /^([0-9a-f]+) commit$/.exec(line)?.[1] ?? [])
}

/** The commits of names and ranges, the newest first. A name without a range is that commit alone. */
function listCommits(git: Git, revisions: readonly string[]): string[] {
  return revisions.flatMap((name) => {
    const isRange = name.includes('..')
    const args = ['rev-list', '--no-merges', ...(isRange ? [] : ['--no-walk']), '--end-of-options', name, '--']
    const { status, stdout } = git.run(args)
    if (status === 0) return stdout.split('\n').filter(Boolean)
    git.requireUsable()
    throw new EscrowError('unsupported', `${JSON.stringify(name)} names no git commit or range here.`, {
      hint: "Give a commit ('HEAD') or a range ('main..feature').",
    })
  })
}

/** The files below the workspace's root that commits changed. A merge has none. */
function filesOf(git: Git, commits: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  if (commits.length === 0) return found
  // A file can have the id of a commit as its name. Raw entries tell them apart: each begins with a colon, and its path follows.
  const options = ['-r', '-z', '--root', '--no-renames', '--relative', '--diff-filter=d', '--raw']
  const input = commits.map((id) => `${id}\n`).join('')
  const fields = fieldsOf(git.output(['diff-tree', '--stdin', ...options], { input }))
  let files: string[] = []
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? ''
    if (field.startsWith(':')) files.push(fields[++at] ?? '')
    else {
      files = []
      found.set(field.trim(), files)
    }
  }
  return found
}

/** The commits among some that none of the others contains. */
function tipsOf(git: Git, commits: readonly string[]): string[] {
  if (commits.length <= 1) return [...commits]
  return (git.query(['merge-base', '--independent', ...commits]) ?? '').split('\n').filter(Boolean)
}
