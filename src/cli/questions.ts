/**
 * The open question that has this id, else the one whose id begins so.
 * @throws Error with the reason `nothing_selected` where none does, or more than one of them.
 */
export function questionOf<T extends { readonly id: string }>(given: string, open: readonly T[], listedBy: string): T {
  const whole = open.filter(({ id }) => id === given)
  const found = whole.length > 0 || given === '' ? whole : open.filter(({ id }) => id.startsWith(given))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const what = found.length === 0 ? 'No open question has' : `${found.length} open questions have`
  throw Object.assign(new Error(`${what} an id that begins with '${given}'. Nothing was answered.`), {
    reason: 'nothing_selected',
    hint: `'${listedBy}' lists them.`,
  })
}
