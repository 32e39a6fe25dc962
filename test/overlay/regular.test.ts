import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { openRegular, readRegular } from '../../overlay/regular.js'
import { digestFile, readSmall, readStart } from '../../src/os/read.js'
import { tempDir } from '../support/facade.js'

function place() {
  const { path, dispose } = tempDir()
  onTestFinished(() => dispose())
  fs.writeFileSync(`${path}/file`, 'content')
  fs.symlinkSync('file', `${path}/link`)
  fs.symlinkSync('/dev/zero', `${path}/endless`)
  fs.symlinkSync('/dev', `${path}/devices`)
  execFileSync('mkfifo', [`${path}/pipe`])
  return (name: string) => `${path}/${name}`
}

const openFiles = () => fs.readdirSync('/proc/self/fd').length

it('reads files, and follows a link only on request', () => {
  const at = place()
  expect(readRegular(at('file'), false).toString()).toBe('content')
  expect(readRegular(at('link'), true).toString()).toBe('content')
  expect(() => readRegular(at('link'), false)).toThrow(/ELOOP/)
  expect(() => readRegular(at('none'), true)).toThrow(/ENOENT/)
})

it.each(['pipe', 'endless', 'devices/zero', '.'])('refuses %s, and leaves no descriptor open', (name) => {
  const at = place()
  const before = openFiles()
  const error = expect.objectContaining({ code: name === 'endless' ? 'ELOOP' : 'EINVAL' })
  for (const read of [
    () => openRegular(at(name), false),
    () => readRegular(at(name), false),
    () => digestFile(at(name)),
    () => readStart(at(name), 10),
  ])
    expect(read).toThrow(error)
  expect(() => readRegular(at(name), true)).toThrow(/EINVAL: not a regular file, open '/)
  expect(() => readSmall(at(name), 10)).toThrow(/EINVAL/)
  expect(openFiles()).toBe(before)
})

it('reads no more of a small file than its limit', () => {
  const at = place()
  expect(readSmall(at('link'), 7)).toBe('content')
  expect(() => readSmall(at('link'), 6)).toThrow(expect.objectContaining({ code: 'EFBIG' }))
})
