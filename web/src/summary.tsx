import type { WireChange, WireGroup } from '../../src/web/wire.js'
import { Name, pluralize } from './shared.js'

const RISKS: readonly (readonly [noun: string, has: (change: WireChange) => boolean])[] = [
  ['deletion', ({ kind }) => kind === 'delete'],
  // Every new file has a mode. Report only executable ones.
  [
    'mode change',
    ({ kind, mode = '' }) => (kind === 'create' ? /[1357]/.test(mode) : kind !== 'delete' && mode !== ''),
  ],
  ['link', ({ kind, flags }) => kind === 'link' || flags.includes('symlink') || flags.includes('hard-link')],
  ['binary file', ({ flags }) => flags.includes('binary')],
]
/** The number of paths of one kind that are listed. */
const MAX_NAMES = 5
/** The number of files that are listed before a commit. */
const MAX_FILES = 100

/** Lists the risky changes of an approval. */
export function Risks({ groups, changes }: { groups: readonly WireGroup[]; changes: readonly WireChange[] }) {
  const selected = new Set(changes)
  const risky = [
    ...RISKS.map(([noun, has]) => ({ noun, found: changes.filter(has) })).map(({ noun, found }) => ({
      words: pluralize(found.length, noun),
      found,
    })),
    ...groups
      .filter(({ grave }) => grave)
      .map(({ title, changes: all }) => ({ title, found: all.filter((change) => selected.has(change)) }))
      .filter(({ found }) => found.some(({ kind }) => kind !== 'delete'))
      .map(({ title, found }) => ({ words: `${title}: ${pluralize(found.length, 'file')}`, found })),
  ].filter(({ found }) => found.length > 0)
  if (risky.length === 0) return <p class="quiet">No deletion, mode change, link or binary file is among them.</p>
  return (
    <ul class="risks">
      {risky.map(({ words, found }) => (
        <li key={words}>
          <b>{words}</b>{' '}
          {found.slice(0, MAX_NAMES).map(({ path }, at) => (
            <>
              {at > 0 && ', '}
              <code>
                <Name text={path} />
              </code>
            </>
          ))}
          {found.length > MAX_NAMES && ` and ${found.length - MAX_NAMES} more`}
        </li>
      ))}
    </ul>
  )
}

/** Lists the files of a commit with their line counts. */
export function CommitFiles({ changes }: { changes: readonly WireChange[] }) {
  return (
    // Focusable, so that keys can scroll it.
    <ul class="landing" tabIndex={0} aria-label="Files to commit">
      {changes.slice(0, MAX_FILES).map(({ path, kind, state, landing: [added, removed], hunks: [all, approved] }) => (
        <li key={path}>
          <span class="landing-path">
            <Name text={path} />
          </span>
          <span class="quiet">
            {kind === 'modify' ? '' : kind}
            {state === 'approved' ? '' : ` ${approved} of ${all} hunks`}
          </span>
          <Lines added={added} removed={removed} />
        </li>
      ))}
      {changes.length > MAX_FILES && <li class="quiet">and {changes.length - MAX_FILES} more</li>}
    </ul>
  )
}

/** Lists the first paths, and counts the others. */
export function Paths({ changes }: { changes: readonly WireChange[] }) {
  return (
    <ul class="landing" tabIndex={0} aria-label="Files">
      {changes.slice(0, MAX_FILES).map(({ path }) => (
        <li key={path}>
          <span class="landing-path">
            <Name text={path} />
          </span>
        </li>
      ))}
      {changes.length > MAX_FILES && <li class="quiet">and {changes.length - MAX_FILES} more</li>}
    </ul>
  )
}

export function Lines({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="amount">
      <span class="plus">+{added}</span>
      <span class="minus">−{removed}</span>
    </span>
  )
}

/** The files that a commit would write, whole or in part. */
export function selectApproved(changes: readonly WireChange[]): WireChange[] {
  return changes.filter(({ state, hunks: [, approved] }) => state === 'approved' || approved > 0)
}

/** Counts hunks by verdict. A change without lines counts as one. */
export function countHunks(changes: readonly WireChange[]) {
  const total = { all: 0, approved: 0, rejected: 0 }
  for (const { state, hunks } of changes) {
    const [all, approved, rejected] = hunks
    const units = Math.max(1, all)
    total.all += units
    total.approved += state === 'approved' ? units : approved
    total.rejected += state === 'rejected' ? units : rejected
  }
  return total
}
