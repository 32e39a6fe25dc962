import type { Intent, IntentChanges, IntentTemplate, NewIntent } from '../core/api.js'
import { apiErrorOf, EscrowError } from '../core/api-error.js'
import { INIT_HINT, type IntentsState, selectable, unknownIntent } from '../core/intents-state.js'
import type { Layout } from '../core/layout.js'
import { acceptTexts, openAccepted } from '../os/accepted-files.js'
import { cachedFile } from '../os/cached-file.js'
import { withProcessLock } from '../os/lock.js'
import { replaceShared } from '../os/shared-files.js'
import { MAX_YAML_BYTES, type YamlProblem } from '../os/yaml.js'
import { bothOf, openAcceptedIntents, type Readings } from './accepted.js'
import { applyChanges, type Change, completeIntent, markStarted, newIntent, selectIntent } from './changes.js'
import { addIntent, clearActive, editIntent } from './edit.js'
import { openIgnoreFiles } from './ignore.js'
import { FILE, parseIntents, type Reading, withIgnored } from './reading.js'
import { refuseWaitingTemplate, templatesOf } from './templates.js'
import { type OpenFile, understand } from './understood.js'

export interface RegistryStore {
  /** The file as it is now. Synchronous; one `stat` while the file does not change. Never throws. */
  state(): IntentsState
  list(): Promise<Intent[]>
  /** The intent that the file names as active. */
  active(): Promise<Intent | undefined>
  get(id: string): Promise<Intent | undefined>
  templates(): IntentTemplate[]
  /** The file's text. Throws EscrowError no_orchestration, policy_invalid where it cannot be read as YAML. */
  text(): string
  /**
   * Runs work as the only one, in any process, that edits the file.
   * Rejects with `no_orchestration` where there is none, and as `work` does.
   */
  withEdits<T>(work: (edits: RegistryEdits) => Promise<T>): Promise<T>
}

/** Edits of the registry file, each durable when it returns. They throw EscrowError as {@link IntentRegistry} says. */
export interface RegistryEdits {
  /** Read anew: the store's may be older than the lock. */
  state(): IntentsState
  /** A selection by an agent: DRAFT or PENDING becomes IN_PROGRESS. The file of one already so is not touched. */
  start(id: string): Intent
  select(id: string): Intent
  /** The file names no intent as active any more. */
  deselect(): void
  complete(id: string): Intent
  add(intent: NewIntent): Intent
  change(id: string, changes: IntentChanges): Intent
  /** Puts a text in the place of another, which the file must still be. */
  replaceText(was: string, text: string): void
}

/** The registry of a workspace: `.orchestration/active_intents.yaml`, as a person keeps it. */
export function openRegistry(layout: Layout): RegistryStore {
  const ignore = openIgnoreFiles(layout)
  const accepted = openAccepted(layout)
  const open = () =>
    bothOf(
      withIgnored(cachedFile(layout.intentsFile, MAX_YAML_BYTES, parseIntents), ignore),
      openAcceptedIntents(accepted),
    )
  const current = open()
  const edits = editsOf(layout, () => open()())
  return {
    state: () => current().state,
    list: async () => all(current().state),
    active: async () => {
      const { state } = current()
      return all(state).find(({ id }) => state.ok && id === state.activeIntentId)
    },
    get: async (id) => all(current().state).find((intent) => intent.id === id),
    templates: () => templatesOf(layout),
    text: () => textOf(current().file),
    async withEdits(work) {
      refuseAbsent(current().state)
      return withProcessLock(layout.locks, 'intents', () => work(edits))
    },
  }
}

function editsOf(layout: Layout, readNow: () => Readings): RegistryEdits {
  /** What is accepted goes first: between the two writes the stricter of both holds, so nothing is opened early. */
  function write(text: string | undefined, accepted: string | undefined): void {
    if (accepted !== undefined) acceptTexts(layout, new Map([[FILE, accepted]]))
    if (text !== undefined) replaceShared(layout.intentsFile, text)
  }

  /** The same edit in the file and in what is accepted of it: what else of the file waits goes on waiting. */
  function edit(id: string, change: Change): Intent {
    const { file, accepted, state } = readNow()
    requireIntent(state, id)
    const text = editedText(file, id, change)
    write(text, file.text === accepted.text ? text : editedAccepted(accepted, id, change))
    return requireIntent(readNow().state, id)
  }

  function selectableNow(id: string): void {
    const denial = selectable(readNow().state, id)
    if (denial) throw apiErrorOf(denial)
  }

  return {
    state: () => readNow().state,
    start(id) {
      selectableNow(id)
      return edit(id, markStarted)
    },
    select(id) {
      selectableNow(id)
      return edit(id, selectIntent)
    },
    deselect() {
      const { file, accepted } = readNow()
      refuseAbsent(file.state)
      write(cleared(file), file.text === accepted.text ? cleared(file) : cleared(accepted))
    },
    complete: (id) => edit(id, completeIntent),
    change: (id, changes) => edit(id, applyChanges(changes)),
    add(wanted) {
      const { file, accepted } = readNow()
      refuseWaitingTemplate(layout, wanted.from)
      const taken = new Set([...all(file.state), ...all(accepted.state)].map(({ id }) => id))
      const intent = newIntent(wanted, templatesOf(layout), taken)
      if (!file.open) throw new EscrowError('no_orchestration', `${FILE} is not there.`, { hint: INIT_HINT })
      const text = addIntent(file.open, intent)
      const isSame = file.text === accepted.text
      write(text, isSame ? text : addIntent(accepted.open ?? openText(EMPTY), intent))
      return requireIntent(readNow().state, intent.id)
    },
    replaceText(was, text) {
      const { file, accepted } = readNow()
      if (textOf(file) !== was) throw staleRegistry()
      const isAccepted = file.text === accepted.text
      // An editor shows the whole text, but not which part of it nobody has accepted. A broken file can be repaired: it then waits.
      if (!isAccepted && file.state.ok) throw notAccepted()
      const read = understand(Buffer.from(text))
      if (!read.ok) throw unusable(read.problem)
      write(text, isAccepted ? text : undefined)
    },
  }
}

/** The text of one of the two with an intent of it edited; undefined where that changes nothing. */
function editedText({ state, open }: Reading, id: string, change: Change): string | undefined {
  const intent = state.ok ? state.intents.get(id) : undefined
  const wanted = open && intent && change(intent, open)
  return wanted && editIntent(open, intent, wanted, new Date())
}

/** The text without an active intent; undefined where it names none. Throws where the file cannot be read. */
function cleared({ state, open }: Reading): string | undefined {
  if (!state.ok && state.reason === 'policy_invalid') throw new EscrowError('policy_invalid', state.message)
  return open?.data.activeIntentId === undefined ? undefined : clearActive(open)
}

/** An edit that fits the file and not what was accepted of it has to wait until the file is accepted. */
function editedAccepted(accepted: Reading, id: string, change: Change): string | undefined {
  try {
    return editedText(accepted, id, change)
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
  refuseAbsent(state)
  if (text !== undefined) return text
  throw new EscrowError('policy_invalid', state.ok ? `${FILE} cannot be read.` : state.message)
}

function unusable({ line, column, message }: YamlProblem): EscrowError {
  return new EscrowError('policy_invalid', `The text cannot be used, line ${line}, column ${column}: ${message}.`, {
    hint: `${FILE} was left as it was.`,
  })
}

function staleRegistry(): EscrowError {
  return new EscrowError('stale_file', `${FILE} was changed by another program. Your edit was not saved.`, {
    hint: 'Make the edit again, based on the present file.',
  })
}

function refuseAbsent(state: IntentsState): void {
  if (!state.ok && state.reason === 'no_orchestration')
    throw new EscrowError('no_orchestration', state.message, { hint: INIT_HINT })
}

/** A workspace that declares nothing has no intents; one whose file cannot be read must not look like it. */
function all(state: IntentsState): Intent[] {
  if (state.ok) return [...state.intents.values()]
  if (state.reason === 'no_orchestration') return []
  throw new EscrowError('policy_invalid', state.message)
}

function requireIntent(state: IntentsState, id: string): Intent {
  refuseAbsent(state)
  const intent = all(state).find((each) => each.id === id)
  if (!intent) throw apiErrorOf(unknownIntent(state, id))
  return intent
}
