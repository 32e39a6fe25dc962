import { expect, it } from 'vitest'
import { wantsColor } from '../../src/cli/color.js'

it.each<[NodeJS.ProcessEnv, boolean, boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '3' }, false, true],
  [{ FORCE_COLOR: '' }, false, false],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: 'false' }, true, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
])('with %j on a terminal (%s) colour is %s', (env, isTerminal, wanted) => {
  expect(wantsColor(env, isTerminal)).toBe(wanted)
})
