import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { thisProcess } from '../../src/os/process.js'
import { makeCopyScratch } from '../../src/terminal/copy-scratch.js'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from './site.js'

let place: string
beforeEach(() => {
  place = mkdtempSync(join(realpathSync(tmpdir()), 'copies-'))
  vi.stubEnv('TMPDIR', place)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(place, { recursive: true })
})

/** A directory as another process leaves it. */
function leave(name: string, owner?: object): string {
  const dir = join(place, name)
  mkdirSync(join(dir, 'tree'), { recursive: true })
  writeFileSync(join(dir, 'tree', 'file'), 'copied\n')
  if (owner !== undefined) writeFileSync(join(dir, 'owner'), JSON.stringify(owner))
  return dir
}

const dead = () => ({ ...thisProcess(), start: '1' })

it('removes the copies of killed processes, and nothing else', () => {
  const outside = leave('outside', dead())
  const abandoned = leave('escrow-copy-dead', dead())
  const kept = [
    leave('escrow-copy-used', thisProcess()),
    leave('escrow-copy-elsewhere', { ...dead(), host: 'another machine', boot: 'another' }),
    leave('escrow-copy-unknown'),
    leave('escrow-copy-damaged', []),
    outside,
  ]
  symlinkSync(outside, join(place, 'escrow-copy-link'))
  const scratch = makeCopyScratch('/nowhere')
  expect(existsSync(abandoned)).toBe(false)
  for (const dir of [...kept, join(place, 'escrow-copy-link')])
    expect(readdirSync(join(dir, 'tree')), dir).toEqual(['file'])
  expect(readdirSync(scratch).sort()).toEqual(['owner', 'tmp', 'tree'])
})

describe.each(PROVIDERS.filter((name) => name.endsWith('copy')))('in %s', (name) => {
  withProvider(name)

  it('a command cannot change who owns its copy, and a closed session leaves none', async () => {
    const { session } = await site()
    const { stdout } = await session.exec(`for file in ${place}/escrow-copy-*/owner; do echo '{}' > "$file"; done; pwd`)
    const [scratch = ''] = readdirSync(place).filter((each) => each.startsWith('escrow-copy-'))
    expect(stdout.toString()).not.toBe('')
    expect(JSON.parse(readFileSync(join(place, scratch, 'owner'), 'utf8'))).toEqual(thisProcess())
    await session.close()
    expect(readdirSync(place).filter((each) => each.startsWith('escrow-copy-'))).toEqual([])
  })
})
