import type { Change } from '../core/api.js'
import { confusableWords } from '../core/confusable.js'
import { protection } from '../policy/index.js'
import { addedLines } from '../review/index.js'

/** The limit of words listed for one change. */
const NAMED = 3

/** A sentence for each flag of a change that needs an explanation. */
export function flagReasons(change: Pick<Change, 'path' | 'from' | 'flags' | 'hunks'>): string[] {
  const { flags, path, from } = change
  const reasons: string[] = []
  if (flags.includes('protected') || flags.includes('highlight')) reasons.push(...nameReasons(path, from))
  if (flags.includes('confusable')) reasons.push(...wordReasons(change))
  if (flags.includes('set-id'))
    reasons.push('set-id: it would run with the rights of its owner or group; a commit refuses it')
  return reasons
}

function nameReasons(path: string, from: string | undefined): string[] {
  const found = [path, ...(from === undefined ? [] : [from])].flatMap((each) => protection(each) ?? [])
  if (found.length === 0) return ['protected: by policy.yaml, or as part of a git repository']
  return [...new Set(found.map(({ segments, why }) => `${segments.join('/')}: ${why}`))]
}

function wordReasons({ path, hunks }: Pick<Change, 'path' | 'hunks'>): string[] {
  const confusables = new Map(
    [path, ...hunks.flatMap(({ text }) => addedLines(text))].flatMap((line) => [...confusableWords(line)]),
  )
  const reasons = [...confusables].slice(0, NAMED).map(([word, why]) => `confusable: ${word} ${why}`)
  return confusables.size > NAMED ? [...reasons, `confusable: and ${confusables.size - NAMED} more`] : reasons
}
