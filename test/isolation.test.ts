import { readdirSync, readFileSync } from 'node:fs'
import picomatch from 'picomatch'
import { expect, it } from 'vitest'
import clients from '../vitest.clients.config.js'
import config from '../vitest.config.js'
import editor from '../vitest.editor.config.js'
import libraries from '../vitest.libraries.config.js'
import postgres from '../vitest.postgres.config.js'
import { OWN_PROCESS } from './support/isolation.js'
import { LONG } from './support/sequence.js'

/** Changes of modules, and changes of a process that outlive a suite and that nothing restores. */
const CHANGES =
  /\bvi\.(?:do)?[mM]ock\(|resetModules|\bModule\._load = |process\.(?:setuid|seteuid)\(|Object\.defineProperty\(process/

const suites = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts'))

it('a suite runs in its own process if, and only if, it changes its process', () => {
  expect(suites.length).toBeGreaterThan(300)
  const changing = suites.filter(
    (name) => !name.endsWith('/isolation.test.ts') && CHANGES.test(readFileSync(name, 'utf8')),
  )
  expect(changing.sort()).toEqual(OWN_PROCESS)
})

it('each suite runs exactly once', () => {
  const projects = [...(config.test?.projects ?? []), clients, editor, libraries, postgres].map((project) => {
    if (typeof project !== 'object' || !('test' in project)) throw new Error('Its suites are not known.')
    const { include = [], exclude = [] } = project.test ?? {}
    return picomatch(include, { ignore: exclude })
  })
  const runs = suites.map((name) => [name, projects.filter((isOf) => isOf(name)).length])
  expect(runs.filter(([, times]) => times !== 1)).toEqual([])
})

it('the suites that start first exist', () => {
  expect(LONG.filter((name) => !suites.includes(name))).toEqual([])
})

it('only a suite registers hooks when it is loaded: a shared module is loaded once for all suites of a process', () => {
  const shared = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => /^(?:before|after)(?:Each|All)\(/m.test(readFileSync(`test/${name}`, 'utf8')))
  expect(shared).toEqual([])
})
