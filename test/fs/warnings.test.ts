import { expect, it } from 'vitest'
import { warnOnce } from '../../src/fs/warnings.js'

it('each warning is emitted once, deprecations by their code', async () => {
  const warnings: [string, string, unknown][] = []
  const listen = (warning: Error) => {
    if (/ of this test$/.test(warning.message))
      warnings.push([warning.name, warning.message, Reflect.get(warning, 'code')])
  }
  process.on('warning', listen)
  for (let i = 0; i < 2; i++) {
    warnOnce('DEP9999', 'a deprecation of this test')
    warnOnce(undefined, 'a warning of this test')
  }
  await new Promise((done) => setImmediate(done))
  process.off('warning', listen)
  expect(warnings).toEqual([
    ['DeprecationWarning', 'a deprecation of this test', 'DEP9999'],
    ['Warning', 'a warning of this test', undefined],
  ])
})
