import { readdirSync, readFileSync } from 'node:fs'
import picomatch from 'picomatch'
import { expect, it } from 'vitest'
import { OWN_PROCESS, TOGETHER } from './support/isolation.js'

/** What outlives a suite in its process. */
const CHANGES =
  /\bvi\.|process\.env\.\w+ = |process\.env\[[^\]]+\] = |delete process\.env|process\.(?:chdir|umask|setuid|seteuid)\(|Object\.defineProperty\(process/

it('a suite that changes its process has one of its own, and no other has', () => {
  const suites = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((name) => `test/${name}`)
  const isTogether = picomatch([...TOGETHER])
  const together = suites.filter((name) => isTogether(name))
  expect(together.length).toBeGreaterThan(100)
  const changing = together.filter((name) => CHANGES.test(readFileSync(name, 'utf8')))
  expect(changing.sort()).toEqual(OWN_PROCESS)
})
