/** One change of one file, labelled by a person. */
export interface Pair {
  /** Of the file: it says which language. */
  readonly path: string
  /** `refactor`: nothing a run of it could show is changed. */
  readonly label: 'refactor' | 'evolution'
  /** Why the label is right. */
  readonly why: string
  readonly before: string
  readonly after: string
}

type Sides = readonly [why: string, before: string, after: string]

/** Pairs of one language, a row each. */
export function pairsOf(path: string, rows: { readonly [L in Pair['label']]: readonly Sides[] }): Pair[] {
  const label = (name: Pair['label']) =>
    rows[name].map(([why, before, after]) => ({ path, label: name, why, before, after }))
  return [...label('refactor'), ...label('evolution')]
}
