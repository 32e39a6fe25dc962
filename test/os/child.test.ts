import { expect, it } from 'vitest'
import { isInstalled, placeOfProgram, runProgram } from '../../src/os/child.js'

it('a missing program is reported as not installed', () => {
  const name = 'no-such-program'
  expect(isInstalled('sh')).toBe(true)
  expect(isInstalled(name)).toBe(false)
  expect(() => placeOfProgram(name)).toThrow(`The program ${name} is not installed.`)
  expect(runProgram(name, [])).toMatchObject({ status: null, problem: `The program ${name} is not installed.` })
})
