import { realpathSync, statSync } from 'node:fs'
import type { Intent, IntentRegistry } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Denial } from '../core/denials.js'
import { globProblem } from '../core/globs.js'
import { INIT_HINT, type IntentsState, selectable, unknownIntent } from '../core/intents-state.js'
import { type Layout, ORCHESTRATION } from '../core/layout.js'
import { cachedFile, type FileBytes } from '../host/cached-file.js'
import { withProcessLock } from '../host/lock.js'
import { replaceDurable } from '../host/write.js'
import { describeProblem, MAX_YAML_BYTES, readYaml, type YamlProblem } from '../host/yaml.js'
import { editIntent, type IntentEdit, type OpenFile } from './edit.js'
import { type IgnoreLines, openIgnoreFiles } from './ignore.js'
import { readIntents } from './schema.js'

export interface RegistryStore extends Omit<IntentRegistry, 'history'> {
  /** The file as it is now. Synchronous; one `stat` while the file does not change. Never throws. */
  state(): IntentsState
  /**
   * A selection by an agent: DRAFT or PENDING becomes IN_PROGRESS. The file of one already IN_PROGRESS is not touched.
   * @throws EscrowError unknown_intent, intent_not_active, policy_invalid.
   */
  start(id: string): Promise<void>
}

interface Reading {
  readonly state: IntentsState
  readonly open?: OpenFile
}

type Change = (intent: Intent, file: OpenFile) => IntentEdit | undefined

const FILE = `${ORCHESTRATION}/active_intents.yaml`

/** The registry of a workspace: `.orchestration/active_intents.yaml`, as a person keeps it. */
export function openRegistry(layout: Layout): RegistryStore {
  const read = () => cachedFile(layout.intentsFile, MAX_YAML_BYTES, reading)
  const current = withIgnored(read(), openIgnoreFiles(layout))

  async function edit(id: string, change: Change): Promise<Intent> {
    known(current().state, id)
    return withProcessLock(layout.locks, 'intents', () => {
      // Read anew: the cache may be older than the lock.
      const { state, open } = read()()
      const intent = known(state, id)
      const wanted = open && change(intent, open)
      if (!open || !wanted) return intent
      const path = realpathSync(layout.intentsFile)
      replaceDurable(path, editIntent(open, intent, wanted, new Date()), statSync(path).mode & 0o777)
      return known(read()().state, id)
    })
  }

  return {
    state: () => current().state,
    list: async () => all(current().state),
    get: async (id) => all(current().state).find((intent) => intent.id === id),
    async start(id) {
      const { state } = current()
      mustBeSelectable(state, id)
      if (known(state, id).status !== 'IN_PROGRESS') await edit(id, starting)
    },
    async select(id) {
      mustBeSelectable(current().state, id)
      return edit(id, selecting)
    },
    complete: async (id) => edit(id, completing),
    expandScope: async (id, globs) => edit(id, expanding(globs)),
  }
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
  const failed = (problem: YamlProblem): Reading => {
    const { line, column } = problem
    const message = describeProblem(FILE, problem)
    return { state: { ok: false, version, reason: 'policy_invalid', file: FILE, line, column, message } }
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
  }
}

/** A workspace that declares nothing has no intents; one whose file cannot be read must not look like it. */
function all(state: IntentsState): Intent[] {
  if (state.ok) return [...state.intents.values()]
  if (state.reason === 'no_orchestration') return []
  throw new EscrowError('policy_invalid', state.message)
}

function known(state: IntentsState, id: string): Intent {
  if (!state.ok && state.reason === 'no_orchestration') {
    throw new EscrowError('no_orchestration', state.message, { hint: INIT_HINT })
  }
  const intent = all(state).find((each) => each.id === id)
  if (!intent) throw refusal(unknownIntent(state, id))
  return intent
}

function mustBeSelectable(state: IntentsState, id: string): void {
  const denial = selectable(state, id)
  if (denial) throw refusal(denial)
}

function refusal({ reason, message, hint }: Denial): EscrowError {
  return new EscrowError(reason, message, hint === undefined ? {} : { hint })
}

function starting(intent: Intent, { data }: OpenFile): IntentEdit | undefined {
  mustBeSelectable({ ok: true, version: 0, intents: data.intents }, intent.id)
  return intent.status === 'IN_PROGRESS' ? undefined : { status: 'IN_PROGRESS' }
}

/** By a person: also what the file itself calls active, where it has a word for it. */
function selecting(intent: Intent, file: OpenFile): IntentEdit | undefined {
  const start = starting(intent, file)
  const { yaml, data } = file
  if (data.activeIntentId === intent.id || !yaml.document.hasIn(['active_intent_id'])) return start
  return { ...start, activeIntentId: intent.id }
}

function completing(intent: Intent): IntentEdit | undefined {
  if (intent.status === 'ARCHIVED') {
    throw new EscrowError('intent_not_active', `Intent Not Active: ${intent.id} is ARCHIVED and cannot be completed.`)
  }
  return intent.status === 'COMPLETED' ? undefined : { status: 'COMPLETED' }
}

function expanding(globs: readonly string[]): Change {
  for (const glob of globs) {
    const problem = globProblem(glob)
    if (problem) throw new EscrowError('policy_invalid', `The glob ${JSON.stringify(glob)} cannot be used: ${problem}.`)
  }
  return (intent) => {
    const added = [...new Set(globs)].filter((glob) => !intent.ownedScope.includes(glob))
    return added.length === 0 ? undefined : { globs: added }
  }
}
