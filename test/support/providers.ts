import { afterAll, beforeAll } from 'vitest'
import type { ContainmentName } from '../../src/core/protection.js'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { keepOnly } from '../children/only-provider.js'

/** The names of all providers. A suite of the interface runs for each. */
export const PROVIDERS: readonly ContainmentName[] = CONTAINMENTS.map(({ name }) => name)

/** @throws Error with the fix, if the provider does not work on this machine */
export async function assertWorks(name: ContainmentName): Promise<void> {
  const attempt = await CONTAINMENTS.find((each) => each.name === name)?.attempt()
  if (attempt === undefined) throw new Error(`There is no provider ${name}.`)
  if (attempt.works) return
  const { what, problem, fix } = attempt.failure
  throw new Error(
    `${name} does not work here, and the suites run in each provider: ${what}: ${problem} To fix it: ${fix}`,
  )
}

/** Runs the tests of a suite with one provider only, as on a machine without a better one. It must work here. */
export function withProvider(name: ContainmentName): void {
  let restore: () => void = () => undefined
  beforeAll(async () => {
    await assertWorks(name)
    restore = keepOnly(name)
  })
  afterAll(() => restore())
}
