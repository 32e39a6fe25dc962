import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { flushFileSystem } from '../../src/os/flush.js'

/** A directory on a disk: one in memory needs no flush. */
function onDisk(): string {
  const base = `${process.cwd()}/node_modules/.cache`
  mkdirSync(base, { recursive: true })
  const path = mkdtempSync(`${base}/flush-`)
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

it.runIf(process.platform === 'linux')('flushes by path, and by the descriptor path of an open directory', () => {
  const path = onDisk()
  expect(flushFileSystem(path)).toBe(true)
  const fd = openSync(path, 'r')
  onTestFinished(() => closeSync(fd))
  expect(flushFileSystem(`/proc/self/fd/${fd}`)).toBe(true)
  expect(flushFileSystem(`/proc/self/fd/${fd}/.`)).toBe(true)
})
