import { expect, it } from 'vitest'
import { createMeasure, TOO_MUCH } from '../../src/change-class/index.js'
import type { Measured } from '../../src/core/mutation.js'
import { newStagedChange } from '../review/staged.js'

it('reads no content for a known class, or after the budget is spent', async () => {
  const [before, after] = ['let a = 1\n', 'let  a = 1\n']
  const change = newStagedChange('src/a.ts', before, after)
  let reads = 0
  const read = () => {
    reads++
    return { before: Buffer.from(before), after: Buffer.from(after) }
  }
  const known = new Map<string, Measured>()
  expect(await createMeasure(known)(change, read)).toMatchObject({ class: 'AST_REFACTOR' })
  expect(await createMeasure(known)(change, read)).toMatchObject({ class: 'AST_REFACTOR' })
  expect(reads).toBe(1)
  const measureLittle = createMeasure(new Map(), 1)
  expect(await measureLittle(change, read)).toBe(TOO_MUCH)
  expect(await measureLittle(change, read)).toBe(TOO_MUCH)
  expect(reads).toBe(2)
})
