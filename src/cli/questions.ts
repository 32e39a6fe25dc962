/**
 * Finds the open question with an id, or with a unique prefix of an id.
 * @throws Error with the reason `nothing_selected` for no match or several
 */
export function findQuestion<T extends { readonly id: string }>(
  typed: string,
  open: readonly T[],
  listedBy: string,
): T {
  const whole = open.filter(({ id }) => id === typed)
  const found = whole.length > 0 || typed === '' ? whole : open.filter(({ id }) => id.startsWith(typed))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const what = found.length === 0 ? 'No open question has' : `${found.length} open questions have`
  throw Object.assign(new Error(`${what} an id that begins with '${typed}'. Nothing was answered.`), {
    reason: 'nothing_selected',
    hint: `'${listedBy}' lists them.`,
  })
}
