import type { Changed, Side } from '../../src/risk/index.js'
import { factsOf } from '../../src/risk/index.js'

export function side(text: string | Uint8Array, mode = 0o644, type: Side['type'] = 'file'): Side {
  return { type, mode, content: typeof text === 'string' ? Buffer.from(text) : text }
}

/** A change of a text. Null: the file did not exist, or is deleted. */
export function newChange(path: string, before: string | null, after: string | null): Changed {
  const kind = before === null ? 'create' : after === null ? 'delete' : 'modify'
  return { path, kind, before: before === null ? null : side(before), after: after === null ? null : side(after) }
}

/** Another changed test, so that `no-test` does not apply. */
export const TEST = newChange('test/other.test.ts', null, 'export {}\n')

/** The names of the facts of the first change of a set. */
export async function namesOf(change: Changed, ...others: readonly Changed[]): Promise<string[]> {
  const facts = await factsOf([change, ...others, TEST])
  return [...new Set(facts.get(change.path)?.map(({ name }) => name))]
}
