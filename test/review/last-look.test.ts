import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Change } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { isNewSince, readLastLook, writeLastLook } from '../../src/review/index.js'

const change: Change = {
  path: 'a',
  kind: 'create',
  before: null,
  after: 'sha256:1',
  hunks: [],
  state: 'pending',
  flags: [],
}

it('the last look is stored by session and reviewer; a damaged file counts as none', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'look-')))
  const place = { root, session: 's1', reviewer: 'Ann' }
  expect(readLastLook(place)).toBeUndefined()
  writeLastLook(place, [change])
  writeLastLook({ ...place, reviewer: 'Ben' }, [])
  expect(isNewSince(readLastLook(place), change)).toBe(false)
  expect(isNewSince(readLastLook({ ...place, reviewer: 'Ben' }), change)).toBe(true)
  expect(readLastLook({ ...place, session: 's2' })).toBeUndefined()
  writeFileSync(layoutAt(root).session('s1').looks, '{')
  expect(readLastLook(place)).toBeUndefined()
})
