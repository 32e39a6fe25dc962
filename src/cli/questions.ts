import type { Question } from '../index.js'

/**
 * The open question whose id begins so.
 * @throws Error with the reason `nothing_selected` where none does, or more than one.
 */
export function questionOf<T extends Question>(given: string, open: readonly T[], listedBy: string): T {
  const found = given === '' ? [] : open.filter(({ id }) => id.startsWith(given))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const what = found.length === 0 ? 'No open question has' : `${found.length} open questions have`
  throw Object.assign(new Error(`${what} an id that begins with '${given}'. Nothing was answered.`), {
    reason: 'nothing_selected',
    hint: `'${listedBy}' lists them.`,
  })
}
