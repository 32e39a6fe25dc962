import type { WireChange, WireGroup } from '../../src/web/wire.js'
import { Name, pluralize } from './shared.js'

const RISKS: readonly (readonly [noun: string, has: (change: WireChange) => boolean])[] = [
  ['deletion', ({ kind }) => kind === 'delete'],
  // A new file has a mode too: it is worth a word where it can be run.
  [
    'mode change',
    ({ kind, mode = '' }) => (kind === 'create' ? /[1357]/.test(mode) : kind !== 'delete' && mode !== ''),
  ],
  ['link', ({ kind, flags }) => kind === 'link' || flags.includes('symlink') || flags.includes('hard-link')],
  ['binary file', ({ flags }) => flags.includes('binary')],
]
/** Names of one kind that are listed. */
const NAMED = 5
/** Files that are listed before a commit. */
const LISTED = 100

/** What an approval of everything takes: how much, and what of it is risky. */
export function Risks({ groups, changes }: { groups: readonly WireGroup[]; changes: readonly WireChange[] }) {
  const taken = new Set(changes)
  const risky = [
    ...RISKS.map(([noun, has]) => ({ noun, found: changes.filter(has) })).map(({ noun, found }) => ({
      words: pluralize(found.length, noun),
      found,
    })),
    ...groups
      .filter(({ grave }) => grave)
      .map(({ title, changes: all }) => ({ title, found: all.filter((change) => taken.has(change)) }))
      .filter(({ found }) => found.some(({ kind }) => kind !== 'delete'))
      .map(({ title, found }) => ({ words: `${title}: ${pluralize(found.length, 'file')}`, found })),
  ].filter(({ found }) => found.length > 0)
  if (risky.length === 0) return <p class="quiet">No deletion, mode change, link or binary file is among them.</p>
  return (
    <ul class="risks">
      {risky.map(({ words, found }) => (
        <li key={words}>
          <b>{words}</b>{' '}
          {found.slice(0, NAMED).map(({ path }, at) => (
            <>
              {at > 0 && ', '}
              <code>
                <Name text={path} />
              </code>
            </>
          ))}
          {found.length > NAMED && ` and ${found.length - NAMED} more`}
        </li>
      ))}
    </ul>
  )
}

/** Each file that a commit puts on disk, with its lines. */
export function Landing({ changes }: { changes: readonly WireChange[] }) {
  return (
    // It scrolls, so it can be reached by keys.
    <ul class="landing" tabIndex={0} aria-label="Files to commit">
      {changes.slice(0, LISTED).map(({ path, kind, state, landing: [added, removed], hunks: [all, approved] }) => (
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
      {changes.length > LISTED && <li class="quiet">and {changes.length - LISTED} more</li>}
    </ul>
  )
}

/** Paths, of which only the first are listed. */
export function Paths({ changes }: { changes: readonly WireChange[] }) {
  return (
    <ul class="landing" tabIndex={0} aria-label="Files">
      {changes.slice(0, LISTED).map(({ path }) => (
        <li key={path}>
          <span class="landing-path">
            <Name text={path} />
          </span>
        </li>
      ))}
      {changes.length > LISTED && <li class="quiet">and {changes.length - LISTED} more</li>}
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

/** Files that a commit would put on disk, in part or whole. */
export function landingOf(changes: readonly WireChange[]): WireChange[] {
  return changes.filter(({ state, hunks: [, approved] }) => state === 'approved' || approved > 0)
}

/** Hunks by what was decided; a change without lines counts as one. */
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
