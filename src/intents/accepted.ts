import { errorText } from '../core/error-text.js'
import type { IntentsState } from '../core/intents-state.js'
import type { AcceptedFiles } from '../os/accepted-files.js'
import { IGNORE_FILES, linesOf } from './ignore.js'
import { applyIgnore, FILE, parseIntents, type Reading } from './reading.js'
import { stricterIntents } from './stricter.js'

/** The parsed file, its accepted text on this machine, and the state that follows from both. */
export interface Readings {
  readonly file: Reading
  readonly accepted: Reading
  readonly state: IntentsState
}

/** Combines both readings. Returns the same object while neither changes. */
export function combineReadings(file: () => Reading, accepted: () => Reading): () => Readings {
  let last: Readings | undefined
  let version = 0
  return () => {
    const now = { file: file(), accepted: accepted() }
    if (last?.file === now.file && last.accepted === now.accepted) return last
    version += 1
    last = { ...now, state: { ...combineStates(now.file, now.accepted), version } }
    return last
  }
}

function combineStates(file: Reading, accepted: Reading): IntentsState {
  if (!file.state.ok) return file.state
  if (!accepted.state.ok)
    return accepted.state.reason === 'no_orchestration' ? stricterIntents(file.state, NONE) : accepted.state
  return stricterIntents(file.state, accepted.state)
}

const NONE: Extract<IntentsState, { ok: true }> = { ok: true, version: 0, intents: new Map() }

/** Parses the accepted texts as if they were the files. */
export function openAcceptedIntents(accepted: () => AcceptedFiles): () => Reading {
  let last: { readonly files: AcceptedFiles; readonly reading: Reading } | undefined
  return () => {
    try {
      const files = accepted()
      if (last?.files !== files)
        last = { files, reading: last && sameTexts(last.files, files) ? last.reading : parseAccepted(files) }
      return last.reading
    } catch (error) {
      const message = errorText(error)
      return { state: { ok: false, version: 0, reason: 'policy_invalid', file: FILE, message } }
    }
  }
}

/** Whether the accepted texts of these files are the same. */
function sameTexts(before: AcceptedFiles, after: AcceptedFiles): boolean {
  return [FILE, ...IGNORE_FILES].every((name) => before.texts.get(name) === after.texts.get(name))
}

function parseAccepted({ texts }: AcceptedFiles): Reading {
  const text = texts.get(FILE)
  const read = parseIntents(text === undefined ? { kind: 'absent' } : { kind: 'bytes', bytes: Buffer.from(text) }, 0)
  if (!read.state.ok && read.state.reason === 'policy_invalid')
    return {
      ...read,
      state: {
        ...read.state,
        message: `The accepted ${FILE} is in a form that this version cannot read. Accept it again: 'escrow trust'.`,
      },
    }
  const lines = IGNORE_FILES.flatMap((name) => linesOf(texts.get(name) ?? ''))
  return { ...read, state: applyIgnore(read.state, { ok: true, lines }, 0) }
}
