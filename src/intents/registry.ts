import type { Intent, IntentChanges, IntentTemplate, NewIntent } from '../core/api.js'
import { apiErrorOf, EscrowError } from '../core/api-error.js'
import { INIT_HINT, type IntentsState, selectable, unknownIntent } from '../core/intents-state.js'
import { type Layout, ORCHESTRATION } from '../core/layout.js'
import { cachedFile, type FileBytes } from '../host/cached-file.js'
import { withProcessLock } from '../host/lock.js'
import { replaceShared } from '../host/shared-files.js'
import { describeProblem, MAX_YAML_BYTES, readYaml, type YamlProblem } from '../host/yaml.js'
import { type Change, changing, completing, declared, selecting, starting } from './changes.js'
import { addIntent, editIntent, type OpenFile } from './edit.js'
import { type IgnoreLines, openIgnoreFiles } from './ignore.js'
import { readIntents } from './schema.js'
import { templatesOf } from './templates.js'

export interface RegistryStore {
  /** The file as it is now. Synchronous; one `stat` while the file does not change. Never throws. */
  state(): IntentsState
  list(): Promise<Intent[]>
  get(id: string): Promise<Intent | undefined>
  templates(): IntentTemplate[]
  /** The file's text. Throws EscrowError no_orchestration, policy_invalid where it cannot be read as YAML. */
  text(): string
  /**
   * Runs work as the only one, in any process, that edits the file.
   * Rejects with `no_orchestration` where there is none, and as `work` does.
   */
  editing<T>(work: (edits: RegistryEdits) => Promise<T>): Promise<T>
}

/** Edits of the registry file, each durable when it returns. They throw EscrowError as {@link IntentRegistry} says. */
export interface RegistryEdits {
  /** Read anew: the store's may be older than the lock. */
  state(): IntentsState
  /** A selection by an agent: DRAFT or PENDING becomes IN_PROGRESS. The file of one already so is not touched. */
  start(id: string): Intent
  select(id: string): Intent
  complete(id: string): Intent
  add(intent: NewIntent): Intent
  change(id: string, changes: IntentChanges): Intent
  /** Puts a text in the place of another, which the file must still be. */
  replaceText(was: string, text: string): void
}

interface Reading {
  readonly state: IntentsState
  readonly open?: OpenFile
  readonly text?: string
}

const FILE = `${ORCHESTRATION}/active_intents.yaml`

/** The registry of a workspace: `.orchestration/active_intents.yaml`, as a person keeps it. */
export function openRegistry(layout: Layout): RegistryStore {
  const read = () => cachedFile(layout.intentsFile, MAX_YAML_BYTES, reading)
  const ignore = openIgnoreFiles(layout)
  const current = withIgnored(read(), ignore)
  const edits = editsOf(layout, () => withIgnored(read(), ignore)())
  return {
    state: () => current().state,
    list: async () => all(current().state),
    get: async (id) => all(current().state).find((intent) => intent.id === id),
    templates: () => templatesOf(layout),
    text: () => textOf(current()),
    async editing(work) {
      refuseAbsent(current().state)
      return withProcessLock(layout.locks, 'intents', () => work(edits))
    },
  }
}

function editsOf(layout: Layout, readNow: () => Reading): RegistryEdits {
  function write(text: string): void {
    replaceShared(layout.intentsFile, text)
  }

  function edit(id: string, change: Change): Intent {
    const { state, open } = readNow()
    const intent = known(state, id)
    const wanted = open && change(intent, open)
    if (!open || !wanted) return intent
    write(editIntent(open, intent, wanted, new Date()))
    return known(readNow().state, id)
  }

  function selectableNow(id: string): void {
    const denial = selectable(readNow().state, id)
    if (denial) throw apiErrorOf(denial)
  }

  return {
    state: () => readNow().state,
    start(id) {
      selectableNow(id)
      return edit(id, starting)
    },
    select(id) {
      selectableNow(id)
      return edit(id, selecting)
    },
    complete: (id) => edit(id, completing),
    change: (id, changes) => edit(id, changing(changes)),
    add(wanted) {
      const { state, open } = readNow()
      const intent = declared(wanted, templatesOf(layout), new Set(all(state).map(({ id }) => id)))
      if (!open) throw new EscrowError('no_orchestration', `${FILE} is not there.`, { hint: INIT_HINT })
      write(addIntent(open, intent))
      return known(readNow().state, intent.id)
    },
    replaceText(was, text) {
      if (textOf(readNow()) !== was) throw changedMeanwhile()
      const yaml = readYaml(Buffer.from(text))
      const data = yaml.ok ? readIntents(yaml.file) : yaml
      if (!data.ok) throw unusable(data.problem)
      write(text)
    },
  }
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

function changedMeanwhile(): EscrowError {
  return new EscrowError('stale_file', `${FILE} was changed by somebody else meanwhile. It was left as it is now.`, {
    hint: 'Begin again from what it says now.',
  })
}

function refuseAbsent(state: IntentsState): void {
  if (!state.ok && state.reason === 'no_orchestration')
    throw new EscrowError('no_orchestration', state.message, { hint: INIT_HINT })
}

/** Joins what both kinds of file say; the same object while none of them changes. */
function withIgnored(registry: () => Reading, ignore: () => IgnoreLines): () => Reading {
  let last: { readonly read: Reading; readonly lines: IgnoreLines; readonly reading: Reading } | undefined
  let version = 0
  return () => {
    const read = registry()
    const lines = ignore()
    if (!last || last.read !== read || last.lines !== lines) {
      version++
      last = { read, lines, reading: { ...read, state: stateWith(read.state, lines, version) } }
    }
    return last.reading
  }
}

function stateWith(state: IntentsState, ignore: IgnoreLines, version: number): IntentsState {
  if (!state.ok) return { ...state, version }
  if (!ignore.ok) {
    const { file, message } = ignore
    const sentence = describeProblem(file, { line: 1, column: 1, message })
    return { ok: false, version, reason: 'policy_invalid', file, message: sentence }
  }
  const ids = new Set(ignore.lines.map((line) => line.trim()).filter((line) => state.intents.has(line)))
  const freePaths = ignore.lines.filter((line) => !ids.has(line.trim()))
  return { ...state, version, ...(ids.size > 0 && { ignored: ids }), ...(freePaths.length > 0 && { freePaths }) }
}

function reading(file: FileBytes, version: number): Reading {
  const text = file.kind === 'bytes' ? { text: file.bytes.toString() } : {}
  const failed = (problem: YamlProblem): Reading => {
    const { line, column } = problem
    const message = describeProblem(FILE, problem)
    return { state: { ok: false, version, reason: 'policy_invalid', file: FILE, line, column, message }, ...text }
  }
  if (file.kind === 'absent') {
    return {
      state: {
        ok: false,
        version,
        reason: 'no_orchestration',
        file: FILE,
        message: `${FILE} is not there. ${INIT_HINT}`,
      },
    }
  }
  if (file.kind === 'unreadable') return failed({ line: 1, column: 1, message: file.message })
  const yaml = readYaml(file.bytes)
  if (!yaml.ok) return failed(yaml.problem)
  const data = readIntents(yaml.file)
  if (!data.ok) return failed(data.problem)
  const { intents, activeIntentId, places } = data.value
  const lines = new Map([...places].map(([id, place]) => [id, yaml.file.problem(place, '').line]))
  return {
    state: { ok: true, version, intents, lines, ...(activeIntentId !== undefined && { activeIntentId }) },
    open: { yaml: yaml.file, data: data.value },
    ...text,
  }
}

/** A workspace that declares nothing has no intents; one whose file cannot be read must not look like it. */
function all(state: IntentsState): Intent[] {
  if (state.ok) return [...state.intents.values()]
  if (state.reason === 'no_orchestration') return []
  throw new EscrowError('policy_invalid', state.message)
}

function known(state: IntentsState, id: string): Intent {
  refuseAbsent(state)
  const intent = all(state).find((each) => each.id === id)
  if (!intent) throw apiErrorOf(unknownIntent(state, id))
  return intent
}
