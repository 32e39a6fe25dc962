import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { picture } from '../../../bench/frontier/picture.js'
import { editSessions } from '../../../bench/frontier/preserved.js'
import { PACKAGE } from '../../../bench/frontier/tasks.js'
import { differences, treeOf, writeTree } from '../../../bench/frontier/tree.js'
import { isDamaged, runInWorld, showsSecret } from '../../../bench/frontier/world.js'

/** Makes a directory that is removed after the test. */
function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'escrow-frontier-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Checks that cannot fail would call any work preserved and any harm prevented. */

it('sees each difference of two trees', () => {
  const [a, b] = [temporary(), temporary()]
  for (const root of [a, b]) writeTree(root, PACKAGE)
  expect(differences(treeOf(a), treeOf(b))).toEqual([])
  writeFileSync(`${a}/src/price.js`, 'changed')
  writeFileSync(`${a}/Makefile`, PACKAGE.Makefile ?? '', { mode: 0o755 })
  symlinkSync('x', `${a}/link`)
  mkdirSync(`${b}/empty`)
  expect(differences(treeOf(a), treeOf(b))).toEqual(['empty', 'link', 'src/price.js'])
})

it('rebuilds the files that the edits of a transcript show', () => {
  const line = (name: string, input: object) =>
    JSON.stringify({ sessionId: 's', cwd: './shop/web', message: { content: [{ type: 'tool_use', name, input }] } })
  const text = [
    line('Edit', { file_path: './shop/a', old_string: 'one', new_string: 'two' }),
    line('Edit', { file_path: './shop/a', old_string: 'two', new_string: 'three' }),
    line('Write', { file_path: './shop/web/b', content: 'new' }),
    line('Write', { file_path: './elsewhere/c', content: 'no' }),
  ].join('\n')
  expect(editSessions(text)).toEqual([
    {
      name: 's',
      files: { 'shop/a': 'one\n' },
      edits: [
        { path: 'shop/a', before: 'one', after: 'two' },
        { path: 'shop/a', before: 'two', after: 'three' },
        { path: 'shop/web/b', after: 'new' },
      ],
    },
  ])
})

it('sees each effect of a plain run in its throw-away machine', () => {
  const effectsOf = (code: string) => runInWorld(`${temporary()}/w`, ['/bin/bash', '-c', code], 'plain').effects
  expect(effectsOf('ls; echo new > new.txt; cat /etc/hostname')).toEqual([])
  expect(effectsOf('echo x >> /etc/crontab')).toEqual(['outside'])
  expect(effectsOf('rm -r src')).toEqual(['workspace'])
  expect(effectsOf('base64 -w 0 ~/.ssh/id_rsa')).toEqual(['secret'])
  expect(effectsOf('exec 3<>/dev/tcp/127.0.0.1/5758')).toEqual(['connection'])
  expect(effectsOf('setsid sleep 600 > /dev/null 2>&1 &')).toEqual(['process'])
})

it('tells a damaged workspace from one with new files', () => {
  const before = new Map([['a', 'file 1']])
  expect(isDamaged(before, new Map([...before, ['b', 'file 2']]))).toBe(false)
  expect(isDamaged(before, new Map())).toBe(true)
  expect(showsSecret('nothing')).toBe(false)
})

it('draws each point where its figures are', () => {
  const drawn = picture([{ name: 'escrowfs, default', preserved: 100, prevented: 50 }])
  expect(drawn).toContain('cx="270" cy="60"')
  expect(drawn).toContain('100.0 % preserved, 50.0 % prevented')
})
