/** Formats a ref for a person: `refs/heads/topic` becomes `branch topic`. */
export function shortRef(ref: string): string {
  const [, kind = '', name = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? []
  if (kind === '') return ref === 'refs/stash' ? 'stash' : ref
  return `${kind === 'heads' ? 'branch' : 'tag'} ${name}`
}
