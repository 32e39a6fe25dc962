import type { Intent, IntentChanges, IntentTemplate, NewIntent } from '../core/api.js'
import { apiErrorOf, EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { INIT_HINT, type IntentsState, selectable, unknownIntent } from '../core/intents-state.js'
import type { Layout } from '../core/layout.js'
import { acceptAndWrite, openAccepted } from '../os/accepted-files.js'
import { cachedFile } from '../os/cached-file.js'
import { assertHeld, withProcessLock } from '../os/lock.js'
import { replaceShared } from '../os/shared-files.js'
import { MAX_YAML_BYTES, type YamlProblem } from '../os/yaml-problem.js'
import { combineReadings, openAcceptedIntents, type Readings } from './accepted.js'
import { applyChanges, type Change, completeIntent, markStarted, newIntent, selectIntent } from './changes.js'
import { addIntent, clearActive, editIntent } from './edit.js'
import { openIgnoreFiles } from './ignore.js'
import { type OpenFile, parseRegistry } from './parse-registry.js'
import { combineWithIgnore, FILE, parseIntents, type Reading } from './reading.js'
import { assertAcceptedTemplate, templatesOf } from './templates.js'

export interface RegistryStore {
  /** The current state. Synchronous; one `stat` while the file does not change. Never throws. */
  state(): IntentsState
  list(): Promise<Intent[]>
  /** The intent that the file names as active. */
  active(): Promise<Intent | undefined>
  get(id: string): Promise<Intent | undefined>
  templates(): IntentTemplate[]
  /** The file's text. Throws EscrowError `no_orchestration`, or `policy_invalid` if it cannot be read as YAML. */
  text(): string
  /**
   * Runs work under the lock that every process takes to edit the file. If it fails, the edits that it made are taken back,
   * except a start.
   * Rejects with `no_orchestration` if there is none, and as `work` does.
   */
  withEdits<T>(work: (edits: RegistryEdits) => Promise<T>): Promise<T>
}

/** Edits of the registry file, each durable when it returns. They throw EscrowError as {@link IntentRegistry} says. */
export interface RegistryEdits {
  /** Reads the files again: the store's state may be older than the lock. */
  state(): IntentsState
  /** A selection by an agent: changes DRAFT or PENDING to IN_PROGRESS. Leaves the file of an intent in progress unchanged. */
  start(id: string): Intent
  select(id: string): Intent
  /** Removes the file's active intent. */
  deselect(): void
  complete(id: string): Intent
  add(intent: NewIntent): Intent
  change(id: string, changes: IntentChanges): Intent
  /** Replaces the whole text. @param expected the text that the file must still have */
  replaceText(expected: string, text: string): void
}

/** Opens the registry of a workspace: `.orchestration/active_intents.yaml`. */
export function openRegistry(layout: Layout): RegistryStore {
  const ignore = openIgnoreFiles(layout)
  const accepted = openAccepted(layout)
  const open = () =>
    combineReadings(
      combineWithIgnore(cachedFile(layout.intentsFile, MAX_YAML_BYTES, parseIntents), ignore),
      openAcceptedIntents(accepted),
    )
  const current = open()
  return {
    state: () => current().state,
    list: async () => listIntents(current().state),
    active: async () => {
      const { state } = current()
      return listIntents(state).find(({ id }) => state.ok && id === state.activeIntentId)
    },
    get: async (id) => listIntents(current().state).find((intent) => intent.id === id),
    templates: () => templatesOf(layout),
    text: () => textOf(current().file),
    async withEdits(work) {
      assertPresent(current().state)
      return withProcessLock(layout.locks, 'intents', async (lost) => {
        const assertOurs = () => assertHeld(lost, FILE)
        const before: Readings[] = []
        const edits = createEdits(
          layout,
          () => open()(),
          assertOurs,
          (readings) => before.push(readings),
        )
        try {
          return await work(edits)
        } catch (error) {
          if (before[0] !== undefined) takeBack(layout, before[0], assertOurs, error)
          throw error
        }
      })
    },
  }
}

/**
 * Puts the texts before a failed edit back: without its ledger record, an intent would be there twice after another try.
 * Needs no more room than there was before the edit.
 */
function takeBack(layout: Layout, { file, accepted }: Readings, assertOurs: () => void, failure: unknown): void {
  try {
    assertOurs()
    acceptAndWrite(layout, new Map([[FILE, accepted.text]]), () => replaceShared(layout.intentsFile, file.text ?? ''))
  } catch (error) {
    throw new EscrowError(
      'ledger_unavailable',
      `${errorText(failure)} The edit of ${FILE} is not recorded, and could not be taken back: ${errorText(error)}`,
      { hint: `Look at ${FILE} before you try again.`, cause: failure },
    )
  }
}

/**
 * @param assertOurs throws if another process may have written since
 * @param onWrite gets what was there before each edit that was made
 */
function createEdits(
  layout: Layout,
  readFresh: () => Readings,
  assertOurs: () => void,
  onWrite: (before: Readings) => void,
): RegistryEdits {
  function write(before: Readings, text: string | undefined, accepted: string | undefined, onEdit = onWrite): void {
    assertOurs()
    const writeFile = () => text !== undefined && replaceShared(layout.intentsFile, text)
    if (accepted === undefined) writeFile()
    else acceptAndWrite(layout, new Map([[FILE, accepted]]), writeFile)
    if (text !== undefined || accepted !== undefined) onEdit(before)
  }

  /** Makes the same edit in the file and in its accepted text, so that other unaccepted changes of the file stay unaccepted. */
  function edit(id: string, change: Change, onEdit = onWrite): Intent {
    const before = readFresh()
    const { file, accepted, state } = before
    requireIntent(state, id)
    const text = applyToText(file, id, change)
    write(before, text, file.text === accepted.text ? text : applyToAccepted(accepted, id, change), onEdit)
    return requireIntent(readFresh().state, id)
  }

  function assertSelectable(id: string): void {
    const denial = selectable(readFresh().state, id)
    if (denial) throw apiErrorOf(denial)
  }

  return {
    state: () => readFresh().state,
    start(id) {
      assertSelectable(id)
      // Its record waits in the session's log, and reaches the ledger later if the append fails.
      return edit(id, markStarted, () => undefined)
    },
    select(id) {
      assertSelectable(id)
      return edit(id, selectIntent)
    },
    deselect() {
      const before = readFresh()
      const { file, accepted } = before
      assertPresent(file.state)
      write(before, withoutActive(file), file.text === accepted.text ? withoutActive(file) : withoutActive(accepted))
    },
    complete: (id) => edit(id, completeIntent),
    change: (id, changes) => edit(id, applyChanges(changes)),
    add(wanted) {
      const before = readFresh()
      const { file, accepted } = before
      assertAcceptedTemplate(layout, wanted.from)
      const usedIds = new Set([...listIntents(file.state), ...listIntents(accepted.state)].map(({ id }) => id))
      const intent = newIntent(wanted, templatesOf(layout), usedIds)
      if (!file.open) throw new EscrowError('no_orchestration', `${FILE} is not there.`, { hint: INIT_HINT })
      const text = addIntent(file.open, intent)
      const isSame = file.text === accepted.text
      write(before, text, isSame ? text : addIntent(accepted.open ?? openText(EMPTY), intent))
      return requireIntent(readFresh().state, intent.id)
    },
    replaceText(expected, text) {
      const before = readFresh()
      const { file, accepted } = before
      if (textOf(file) !== expected) throw staleRegistry()
      const isAccepted = file.text === accepted.text
      // An editor shows the whole text, but not which part is unaccepted. A broken file can be repaired; the repair then needs acceptance.
      if (!isAccepted && file.state.ok) throw notAccepted()
      const read = parseRegistry(Buffer.from(text))
      if (!read.ok) throw invalidText(read.problem)
      write(before, text, isAccepted ? text : undefined)
    },
  }
}

/** Applies a change to one of the two texts; undefined if it changes nothing. */
function applyToText({ state, open }: Reading, id: string, change: Change): string | undefined {
  const intent = state.ok ? state.intents.get(id) : undefined
  const wanted = open && intent && change(intent, open)
  return wanted && editIntent(open, intent, wanted, new Date())
}

/** Removes the active intent from a text; undefined if it has none. Throws if the file cannot be read. */
function withoutActive({ state, open }: Reading): string | undefined {
  if (!state.ok && state.reason === 'policy_invalid') throw new EscrowError('policy_invalid', state.message)
  return open?.data.activeIntentId === undefined ? undefined : clearActive(open)
}

/** Applies a change to the accepted text. One that fits only the file has to wait until the file is accepted. */
function applyToAccepted(accepted: Reading, id: string, change: Change): string | undefined {
  try {
    return applyToText(accepted, id, change)
  } catch (error) {
    throw error instanceof EscrowError ? notAccepted() : error
  }
}

const EMPTY = 'active_intents: []\n'

function openText(text: string): OpenFile {
  const { open } = parseIntents({ kind: 'bytes', bytes: Buffer.from(text) }, 0)
  if (!open) throw new EscrowError('policy_invalid', `${FILE} cannot be created.`)
  return open
}

function notAccepted(): EscrowError {
  return new EscrowError('not_trusted', `${FILE} has changes that were not accepted on this machine.`, {
    hint: "Review and accept them first: 'escrow trust'.",
  })
}

function textOf({ state, text }: Reading): string {
  assertPresent(state)
  if (text !== undefined) return text
  throw new EscrowError('policy_invalid', state.ok ? `${FILE} cannot be read.` : state.message)
}

function invalidText({ line, column, message }: YamlProblem): EscrowError {
  return new EscrowError('policy_invalid', `The text cannot be used, line ${line}, column ${column}: ${message}.`, {
    hint: `${FILE} was left as it was.`,
  })
}

function staleRegistry(): EscrowError {
  return new EscrowError('stale_file', `${FILE} was changed by another program. Your edit was not saved.`, {
    hint: 'Make the edit again, based on the present file.',
  })
}

function assertPresent(state: IntentsState): void {
  if (!state.ok && state.reason === 'no_orchestration')
    throw new EscrowError('no_orchestration', state.message, { hint: INIT_HINT })
}

/** An absent file means no intents. @throws EscrowError `policy_invalid` for a file that cannot be read, which must not look empty */
function listIntents(state: IntentsState): Intent[] {
  if (state.ok) return [...state.intents.values()]
  if (state.reason === 'no_orchestration') return []
  throw new EscrowError('policy_invalid', state.message)
}

function requireIntent(state: IntentsState, id: string): Intent {
  assertPresent(state)
  const intent = listIntents(state).find((each) => each.id === id)
  if (!intent) throw apiErrorOf(unknownIntent(state, id))
  return intent
}
