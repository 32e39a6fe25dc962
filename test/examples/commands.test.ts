import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isBuilt } from '../../examples/demo/commands.js'

it('uses the built command only if no source is newer', () => {
  const project = `${mkdtempSync(join(tmpdir(), 'escrowfs-built-'))}/`
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  const at = (name: string, seconds: number) => utimesSync(`${project}${name}`, seconds, seconds)
  for (const folder of ['src/cli', 'overlay', 'dist/src/cli']) mkdirSync(`${project}${folder}`, { recursive: true })
  for (const name of ['src/cli/main.ts', 'overlay/tree.ts']) writeFileSync(`${project}${name}`, '')
  for (const name of ['src/cli/main.ts', 'overlay/tree.ts', 'src/cli', 'src', 'overlay']) at(name, 1_000)
  expect(isBuilt(project)).toBe(false)
  writeFileSync(`${project}dist/src/cli/main.js`, '')
  at('dist/src/cli/main.js', 2_000)
  expect(isBuilt(project)).toBe(true)
  at('overlay/tree.ts', 3_000)
  expect(isBuilt(project)).toBe(false)
  at('overlay/tree.ts', 1_000)
  at('src/cli', 3_000)
  expect(isBuilt(project)).toBe(false)
})
