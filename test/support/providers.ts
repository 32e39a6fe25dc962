import { afterAll, beforeAll } from 'vitest'
import type { ContainmentName } from '../../src/core/protection.js'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { keepOnly } from '../children/only-provider.js'

/** The names of all providers. A suite of the interface runs over each. */
export const PROVIDERS: readonly ContainmentName[] = CONTAINMENTS.map(({ name }) => name)

/** Runs the tests of a suite with one provider alone, as on a machine that has no better one. */
export function withProvider(name: ContainmentName): void {
  let restore: () => void = () => undefined
  beforeAll(() => {
    restore = keepOnly(name)
  })
  afterAll(() => restore())
}
