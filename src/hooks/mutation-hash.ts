import { createHash } from 'node:crypto'

/**
 * Returns the digest of a call in canonical form: JSON with sorted keys and LF line ends. Equal calls have equal digests, whatever the
 * order of their arguments.
 * @returns `sha256:` and hex
 */
export function mutationHash(tool: string, params: unknown): string {
  return `sha256:${createHash('sha256').update(canonical({ tool, params })).digest('hex')}`
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'string') return each.replaceAll('\r\n', '\n')
    if (typeof each === 'bigint') return `${each}n`
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  })
}
