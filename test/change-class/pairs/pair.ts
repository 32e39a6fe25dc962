/** One change of one file, labelled by a person. */
export interface Pair {
  /** The path of the file, whose extension names the language. */
  readonly path: string
  /** `refactor`: a run of the program cannot show the change. */
  readonly label: 'refactor' | 'evolution'
  /** Why the label is right. */
  readonly why: string
  readonly before: string
  readonly after: string
}

type Sides = readonly [why: string, before: string, after: string]

/** Labelled changes of one language, one per row. */
export function pairsOf(path: string, rows: { readonly [L in Pair['label']]: readonly Sides[] }): Pair[] {
  const label = (name: Pair['label']) =>
    rows[name].map(([why, before, after]) => ({ path, label: name, why, before, after }))
  return [...label('refactor'), ...label('evolution')]
}
