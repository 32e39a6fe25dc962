import { isAbsolute } from 'node:path/posix'
import { isWithin } from '../../overlay/index.js'
import { REPLAY_ROOT } from '../judge/index.js'
import { secretName } from '../policy/index.js'
import { shownPath } from './places.js'
import type { ReplayedCall } from './replay.js'

/** A path or host that a call touched, as a person would write it. */
export interface Touched {
  /** Paths in the workspace that the call would have changed. */
  readonly files: readonly string[]
  readonly outside: readonly string[]
  readonly secrets: readonly string[]
  readonly deletes: boolean
}

/**
 * The paths and hosts that a call touched. For a command only the words of its line are known. A word that names a
 * secret counts as a secret. An absolute path counts as outside if it follows `>`, or if the line changes files.
 */
export function touchedBy({ call, classified, outcome }: ReplayedCall): Touched {
  const { writes = [], reads = [], command } = call
  const written = [...new Set(writes.map(({ path }) => path))]
  const words = command === undefined ? [] : wordsOf(command)
  const changes = classified?.classes.some((each) => each === 'write' || each === 'destructive') === true
  return {
    files: outcome === 'refused' ? [] : writtenInside(call),
    outside: [
      ...written.filter((path) => !isWithin(path, REPLAY_ROOT)).map(shownPath),
      ...(changes ? words.filter((word) => isWrittenOutside(word, command ?? '')) : []),
    ],
    secrets: [...reads.map(shownPath), ...words].filter(isSecret),
    deletes: writes.some(({ effect }) => effect === 'remove') || classified?.classes.includes('destructive') === true,
  }
}

/** The paths in the workspace that a call's tool would change, whatever was decided. */
export function writtenInside({ writes = [] }: ReplayedCall['call']): string[] {
  return [...new Set(writes.map(({ path }) => path))].filter((path) => isWithin(path, REPLAY_ROOT)).map(shownPath)
}

/** The words of a line that are paths, or could be. */
function wordsOf(command: string): string[] {
  return [...new Set(command.slice(0, MAX_LINE).split(/[\s'"`;|&<>()=,$]+/))].filter((word) => /^[~/.\w]/.test(word))
}

const MAX_LINE = 16_384
/** Devices and temporary directories, where a command has its own. */
const OWN_PLACES = ['/dev', '/tmp', '/proc', '/var/tmp']

function isWrittenOutside(word: string, command: string): boolean {
  const isPlace = isAbsolute(word) || word.startsWith('~/')
  if (!isPlace || word.length < 2 || OWN_PLACES.some((place) => isWithin(word, place))) return false
  const before = command.slice(0, command.indexOf(word)).trimEnd()
  return (
    />\|?["']?$/.test(before) ||
    /\b(?:rm|mv|cp|tee|touch|mkdir|rmdir|ln|chmod|chown|install|dd)\b[^;|&\n]*$/.test(before)
  )
}

function isSecret(path: string): boolean {
  if (/^~?\/?(?:.*\/)?\.(?:ssh|aws|gnupg)(?:\/|$)/.test(path)) return true
  return path.split('/').some((name) => name !== '' && secretName(name) !== undefined)
}
