import { dirname, resolve } from 'node:path'
import { asRelPath, isWithin, type Overlay, type StagedChange } from '../../overlay/index.js'
import type { CommitEntry } from '../commit/index.js'
import type { Refusal } from '../core/api-error.js'
import { isOutside } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import type { IntentsState } from '../core/intents-state.js'
import {
  type CommitRequest,
  commitDenial,
  type PolicyState,
  protection,
  repositoryDenial,
  undoDenial,
} from '../policy/index.js'
import { isLessonEntry } from '../session/index.js'
import type { StageStore } from '../stage/index.js'
import type { ReviewedSession } from './reviewed-session.js'
import type { Undone } from './undo-session.js'

/** Path → the intent that the change there was written for. */
type Owners = ReadonlyMap<string, string | undefined>

function ownersOf(approved: readonly StagedChange[]): Owners {
  const owners = new Map<string, string | undefined>()
  for (const { path, from, intentId } of approved) {
    for (const name of from === undefined ? [path] : [path, from]) owners.set(name, intentId ?? owners.get(name))
  }
  return owners
}

type Gate = (entry: CommitEntry) => Refusal | undefined

interface Rules {
  readonly intents: IntentsState
  readonly policy: PolicyState
}

/**
 * Asks policy about each entry of a commit, under the commit's lock. The rules are read once, for the first entry.
 */
export function commitGate(
  { layout, intents, policyFile }: Pick<ReviewedSession, 'layout' | 'intents' | 'policyFile'>,
  store: StageStore,
  approved: readonly StagedChange[],
  undone: Undone | undefined,
): Gate {
  const owners = ownersOf(approved)
  const final = new Map(approved.flatMap(({ path, after }) => (after === null ? [] : [[path as string, after]])))
  let rules: Rules | undefined
  return (entry) => {
    rules ??= { intents: intents.state(), policy: policyFile() }
    // A file that moves with its directory may be edited as well: policy judges the result of both.
    const next = entry.carried && entry.new !== null ? (final.get(entry.path) ?? entry.new) : entry.new
    const needsNoIntent = undone?.isByPerson(entry.path, next) || isLessonEntry(store, entry)
    if (needsNoIntent) return refusal(entry, undoDenial(entry.path, rules.policy))
    return judge(layout.root, store.overlay, entry, owners, rules)
  }
}

function refusal({ path }: CommitEntry, denial: Denial | undefined): Refusal | undefined {
  return denial && { path, reason: denial.reason, message: denial.message }
}

/** Policy judges a directory that is created or removed only for its files by those files, unless it is protected. */
function judge(
  root: string,
  overlay: Overlay,
  entry: CommitEntry,
  owners: Owners,
  { intents, policy }: Rules,
): Refusal | undefined {
  const { path } = entry
  const isNamed = owners.has(path)
  if (!isNamed && protection(path)?.level !== 'never') return undefined
  const effect = entry.op === 'mkdir' ? 'mkdir' : entry.new === null ? 'remove' : 'put'
  const inRepository = repositoryDenial({ effect, path, asked: path }, (each) => overlay.typeOf(asRelPath(each)))
  if (inRepository) return refusal(entry, inRepository)
  const isDirectory = entry.op === 'mkdir' || entry.op === 'rmdir'
  const link = linkOf(root, overlay, entry)
  const request = { path, isDirectory, intentId: owners.get(path), ...(link && { link }) }
  return refusal(entry, commitDenial(request, intents, policy))
}

/** Where a new symlink points from its final path. It may have been staged at another. */
function linkOf(root: string, overlay: Overlay, { path, new: next, content }: CommitEntry): CommitRequest['link'] {
  if (next?.type !== 'symlink' || content === undefined) return undefined
  const text = Buffer.from(content()).toString()
  const place = resolve(root, dirname(path), text)
  const target = isWithin(place, root) ? place.slice(root.length + 1) : place
  return { target, written: text, toFile: !isOutside(target) && overlay.typeOf(asRelPath(target)) === 'file' }
}
