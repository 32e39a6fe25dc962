import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Refusal, Session } from '../../src/index.js'
import { tempDir } from '../support/facade.js'
import { readTree } from '../support/read-tree.js'
import { site } from './site.js'

/** Shell scripts, run by a session and on a plain copy of the tree: after each step both are equal. */

const STEPS = 3

const FILES = { a: 'a\n', 'd/b': 'b\n', 'd/e/c': 'c\n', 'f/g': 'same\n', 'f/h': 'same\n' }
const path = fc.constantFrom('a', 'b', 'd', 'd/b', 'd/e', 'd/e/c', 'f', 'f/g', 'n', 'n/a', 'n/b', 'n/e/c')
const text = fc.constantFrom('', 'x', 'same', 'longer than the rest')

const command = fc.oneof(
  fc.tuple(text, path).map(([words, to]) => `echo ${words} > ${to}`),
  fc.tuple(text, path).map(([words, to]) => `echo ${words} >> ${to}`),
  path.map((at) => `rm -rf ${at}`),
  path.map((at) => `rm -rf ${at} && mkdir ${at}`),
  path.map((at) => `mkdir -p ${at}`),
  path.map((at) => `rmdir ${at}`),
  path.map((at) => `touch ${at}`),
  path.map((at) => `: > ${at}`),
  fc.tuple(path, path).map(([from, to]) => `mv -T ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `mv ${from} ${to}`),
  // Separate names: how far cp gets before it notices that it copies into itself depends on the order of a listing.
  fc.tuple(path, fc.constantFrom('y', 'y/z')).map(([from, to]) => `cp -r ${from} ${to}`),
  fc.tuple(path, path).map(([target, at]) => `ln -s ${target} ${at}`),
  fc.tuple(fc.constantFrom('700', '755', '777'), path).map(([mode, at]) => `chmod ${mode} ${at}`),
  path.map((at) => `sed -i s/a/A/ ${at}`),
)

/** Changes of the stage by a tool between commands, by the functions of fs. */
const edit = fc.oneof(
  fc.record({ op: fc.constant('write' as const), at: path, text }),
  fc.record({ op: fc.constant('rm' as const), at: path }),
  fc.record({ op: fc.constant('mkdir' as const), at: path }),
  fc.record({ op: fc.constant('rename' as const), at: path, to: path }),
)

type Edit = (typeof edit extends fc.Arbitrary<infer T> ? T : never) & { readonly op: string }

const steps = fc.array(
  fc.record({
    edits: fc.array(edit, { maxLength: 3 }),
    script: fc.array(command, { minLength: 1, maxLength: 6 }),
  }),
  { minLength: STEPS, maxLength: STEPS },
)

function apply(node: typeof fs, root: string, each: Edit): void {
  try {
    if (each.op === 'write') node.writeFileSync(`${root}/${each.at}`, each.text)
    else if (each.op === 'rm') node.rmSync(`${root}/${each.at}`, { recursive: true, force: true })
    else if (each.op === 'mkdir') node.mkdirSync(`${root}/${each.at}`, { recursive: true })
    else node.renameSync(`${root}/${each.at}`, `${root}/${each.to}`)
  } catch {
    // The same call fails on both sides, or the trees differ.
  }
}

/** @param run runs a script to its end, and returns the refused paths */
export async function sameAsATree(
  runs: number,
  run: (session: Session, script: string) => Promise<readonly Refusal[]>,
): Promise<void> {
  const fixture = await site(FILES)
  const untouched = readTree(fs, fixture.root)
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const { session, root } = fixture
      const copy = tempDir()
      try {
        await session.revert()
        for (const [name, content] of Object.entries(FILES)) {
          fs.mkdirSync(dirname(`${copy.path}/${name}`), { recursive: true })
          fs.writeFileSync(`${copy.path}/${name}`, content)
        }
        for (const { edits, script } of sequence) {
          for (const each of edits) {
            apply(session.fs, root, each)
            apply(fs, copy.path, each)
          }
          const lines = script.join('\n')
          const refused = await run(session, lines)
          spawnSync('/bin/sh', ['-c', lines], { cwd: copy.path, stdio: 'ignore' })
          // A link that does not lead anywhere yet, or in a cycle, is not a reason to refuse it.
          expect(refused, lines).toEqual([])
          expect(readTree(session.fs, root), lines).toEqual(readTree(fs, copy.path))
        }
      } finally {
        copy.dispose()
      }
    }),
    { numRuns: runs },
  )
  expect(readTree(fs, fixture.root)).toEqual(untouched)
}
