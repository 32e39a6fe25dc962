import { describe, expect, it } from 'vitest'
import { findDiskPowers } from '../support/disk-powers.js'

/** Attacks on the fifth lock: ways for a source file to change the disk that test/architecture.test.ts must see. */

const powers = (text: string) => findDiskPowers('src/x.ts', text)

describe('the scan for capabilities over the disk', () => {
  it.each([
    ['a named import', `import { rmSync as gone } from 'node:fs'; gone('x')`, 'fs.rmSync'],
    ['the default import', `import fs from 'fs'; fs.writeFileSync('x', '')`, 'fs.writeFileSync'],
    ['the default import by its name', `import { default as disk } from 'node:fs'; disk.rmSync('x')`, 'fs.rmSync'],
    ['a namespace', `import * as all from 'node:fs'; all.unlinkSync('x')`, 'fs.unlinkSync'],
    ['optional chaining', `import fs from 'node:fs'; fs?.unlinkSync?.('x')`, 'fs.unlinkSync'],
    ['promises', `import fs from 'node:fs'; await fs.promises.rm('x')`, 'fs.promises.rm'],
    ['promises under another name', `import fs from 'node:fs'; const p = fs.promises`, 'fs.promises handed on'],
    ['promises by name', `import { promises } from 'node:fs'; await promises.rm('x')`, 'fs.promises'],
    ['the module of promises', `import { rm } from 'node:fs/promises'`, 'module fs/promises'],
    ['a stream', `import { createWriteStream } from 'node:fs'`, 'fs.createWriteStream'],
    ['a re-export', `export { rmSync } from 'node:fs'`, 'fs.rmSync'],
    ['a re-export of all', `export * from 'node:fs'`, 'fs handed on'],
    ['a re-export of all as one', `export * as disk from 'fs'`, 'fs handed on'],
    ['an alias', `import fs from 'node:fs'; const disk = fs`, 'fs handed on'],
    ['destructuring', `import fs from 'node:fs'; const { rmSync } = fs`, 'fs handed on'],
    ['a computed name', `import fs from 'node:fs'; fs['rm' + 'Sync']('x')`, 'fs handed on'],
    ['reflection', `import fs from 'node:fs'; Reflect.get(fs, 'rmSync')('x')`, 'fs handed on'],
    ['an argument', `import fs from 'node:fs'; erase(fs)`, 'fs handed on'],
    ['a property', `import fs from 'node:fs'; erase({ fs })`, 'fs handed on'],
    ['a spread', `import fs from 'node:fs'; erase({ ...fs })`, 'fs handed on'],
    ['a default value', `import fs from 'node:fs'; const f = (disk = fs) => disk`, 'fs handed on'],
    ['a dynamic import', `const fs = await import('node:fs')`, 'fs handed on'],
    ['a dynamic import of a made-up name', `await import('node:' + 'fs')`, 'import of any name'],
    ['a dynamic import by a template', 'await import(`node:fs`)', 'import of any name'],
    ['require', `const fs = require('fs')`, 'require'],
    ['import =', `import fs = require('fs')`, 'import ='],
    ['createRequire', `import { createRequire } from 'node:module'`, 'module module'],
    ['the module object', `module.require('fs'); process.mainModule?.require('fs')`, 'mainModule'],
    ['bindings', `process.binding('fs').unlink('x')`, 'binding'],
    ['bindings by a computed name', `process['bind' + 'ing']('fs')`, 'process handed on'],
    ['process under another name', `const p = process; p.binding('fs')`, 'process handed on'],
    ['process off the global object', `globalThis.process.binding('fs')`, 'binding'],
    ['the global object by a computed name', `globalThis['process']`, 'globalThis handed on'],
    ['built-in modules', `process.getBuiltinModule('fs').rmSync('x')`, 'getBuiltinModule'],
    ['a report', `process.report.writeReport('x')`, 'writeReport'],
    ['a shared object', `process.dlopen(module, 'x.node')`, 'dlopen'],
    ['a child process', `import { execSync } from 'node:child_process'`, 'module child_process'],
    ['a child process without its scheme', `import { execSync } from 'child_process'`, 'module child_process'],
    ['a worker', `import { Worker } from 'node:worker_threads'`, 'module worker_threads'],
    ['another context', `import vm from 'node:vm'`, 'module vm'],
    ['a heap snapshot', `import { writeHeapSnapshot } from 'node:v8'`, 'module v8'],
    ['a database', `import { DatabaseSync } from 'node:sqlite'`, 'module sqlite'],
    ['a system interface', `import { WASI } from 'node:wasi'`, 'module wasi'],
    ['eval', `eval('x')`, 'eval'],
    ['a function made of text', `new Function('x')()`, 'Function'],
    ['a package', `import fse from 'fs-extra'`, 'package fs-extra'],
    ['a package of a scope', `import { x } from '@scope/disk/deep'`, 'package @scope/disk'],
    ['a package imported late', `await import('graceful-fs')`, 'package graceful-fs'],
    ['a package handed on', `export * from 'graceful-fs'`, 'package graceful-fs'],
    ['flags that write', `import fs from 'node:fs'; fs.openSync('x', 'w')`, 'fs.openSync with flags that may write'],
    [
      'flags of a parameter',
      `import { openSync } from 'node:fs'; openSync(p, flags)`,
      'fs.openSync with flags that may write',
    ],
    [
      'flags in a variable',
      `import fs from 'node:fs'; let F = 0; fs.openSync('x', F)`,
      'fs.openSync with flags that may write',
    ],
    [
      'flags put together',
      `import fs from 'node:fs'; const F = fs.constants.O_RDONLY | fs.constants.O_TRUNC; fs.openSync('x', F)`,
      'fs.openSync with flags that may write',
    ],
    [
      'an opener handed on',
      `import { openSync } from 'node:fs'; const open = openSync`,
      'fs.openSync with flags that may write',
    ],
    [
      'an opener kept',
      `import fs from 'node:fs'; const host = { open: fs.openSync }`,
      'fs.openSync with flags that may write',
    ],
    [
      'a read that empties',
      `import { readFileSync } from 'node:fs'; readFileSync('x', { flag: 'w+' })`,
      'fs.readFileSync with flags that may write',
    ],
    [
      'a read with unseen options',
      `import fs from 'node:fs'; fs.readFileSync('x', options)`,
      'fs.readFileSync with flags that may write',
    ],
    [
      'a read with options spread in',
      `import fs from 'node:fs'; fs.readFileSync('x', { ...o })`,
      'fs.readFileSync with flags that may write',
    ],
  ])('sees %s', (_, text, power) => {
    expect(powers(text)).toContain(power)
  })

  it.each([
    ['types', `import type fs from 'node:fs'; import { type Stats } from 'node:fs'; type F = typeof import('node:fs')`],
    ['reads', `import fs from 'node:fs'; fs.statSync('x'); fs.readFileSync('x', 'utf8'); fs.readFileSync('x')`],
    ['reads by promises', `import fs from 'node:fs'; await fs.promises.stat('x'); await fs.promises.open('x', 'r')`],
    ['types of the default import', `import fs from 'node:fs'; let a: typeof fs; let b: fs.Stats`],
    [
      'opening for reading',
      `import fs from 'node:fs'; const F = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0)
      fs.openSync('x', F); fs.openSync('x', 'r'); fs.readFileSync('x', { flag: F })`,
    ],
    [
      'names of its own',
      `import { x } from './fs.js'; const require = 1; const o = { module: 1, eval: 2, fs: 3 }; o.fs`,
    ],
    ['harmless modules', `import path from 'node:path'; import { z } from 'zod'; process.pid; globalThis.Array`],
  ])('accepts %s', (_, text) => {
    expect(powers(text)).toEqual([])
  })
})
