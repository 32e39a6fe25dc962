import { defined } from '../core/defined.js'
import { INIT_HINT, type IntentsState } from '../core/intents-state.js'
import { ORCHESTRATION } from '../core/layout.js'
import type { FileBytes } from '../os/cached-file.js'
import { describeProblem, type YamlProblem } from '../os/yaml-problem.js'
import type { IgnoreLines } from './ignore.js'
import { type OpenFile, parseRegistry } from './parse-registry.js'

/** A parsed registry file, with the lines of `.intentignore` applied. */
export interface Reading {
  readonly state: IntentsState
  readonly open?: OpenFile
  readonly text?: string
}

export const FILE = `${ORCHESTRATION}/active_intents.yaml`

/** Applies the ignore files to the registry. Returns the same object while none of them changes. */
export function combineWithIgnore(registry: () => Reading, ignore: () => IgnoreLines): () => Reading {
  let last: { readonly read: Reading; readonly lines: IgnoreLines; readonly reading: Reading } | undefined
  let version = 0
  return () => {
    const read = registry()
    const lines = ignore()
    if (!last || last.read !== read || last.lines !== lines) {
      version++
      last = { read, lines, reading: { ...read, state: applyIgnore(read.state, lines, version) } }
    }
    return last.reading
  }
}

export function applyIgnore(state: IntentsState, ignore: IgnoreLines, version: number): IntentsState {
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

/** Parses the bytes of a registry file. */
export function parseIntents(file: FileBytes, version: number): Reading {
  const text = file.kind === 'bytes' ? { text: file.bytes.toString() } : {}
  const invalid = (problem: YamlProblem): Reading => {
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
  if (file.kind === 'unreadable') return invalid({ line: 1, column: 1, message: file.message })
  const read = parseRegistry(file.bytes)
  if (!read.ok) return invalid(read.problem)
  const { open, lines } = read
  const { intents, activeIntentId } = open.data
  return {
    state: { ok: true, version, intents, lines, ...defined({ activeIntentId }) },
    open,
    ...text,
  }
}
