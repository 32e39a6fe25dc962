import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sha256hex } from '../../overlay/digest.js'
import { CLASSIFIER } from '../../src/change-class/index.js'
import { RULES } from '../../src/risk/index.js'

import { filesBelow, REPOSITORY } from '../support/usage.js'

/**
 * Caches keep results for other processes, and a later version of escrowfs must not read the results of changed rules. After a change
 * in one of these directories, decide whether it can change a result. If so, raise the version. Then record the new digest.
 */
const RECORDED = [
  ['src/risk', RULES, 1, 'b85a7752e9037df6'],
  ['src/change-class', CLASSIFIER, 3, '31ce7b008ef4602b'],
] as const

it.each(RECORDED)(
  'the version of cached results of %s is for its present sources',
  (dir, version, recorded, digest) => {
    const sources = filesBelow(dir, /\.ts$/).map((file) => `${file}\n${readFileSync(join(REPOSITORY, file), 'utf8')}`)
    const grammars = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')).dependencies[
      '@vscode/tree-sitter-wasm'
    ]
    expect([version, sha256hex([...sources.sort(), grammars].join('\n')).slice(0, 16)]).toEqual([recorded, digest])
  },
)
