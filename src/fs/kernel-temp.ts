import { randomInt } from 'node:crypto'
import { codeOf } from '../../overlay/index.js'
import { encodeName, readOptions, readPath } from './args.js'
import { innerCall } from './inner-call.js'
import type { Args } from './op-types.js'
import { createdMode } from './open-rules.js'
import type { WriteView } from './view.js'
import { warnOnce } from './warnings.js'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const RANDOM = 6
const TRIES = 100
const TEMPLATE = 'mkdtemp() templates ending with X are not portable. For details see: https://nodejs.org/api/fs.html'

/** mkdtemp(3): a new directory for its owner only, named by the prefix and six random characters. */
export function mkdtemp(view: WriteView, [given, more]: Args): string | Buffer {
  const options = readOptions(more)
  const prefix = readPath('prefix', given)
  encodeName('', options)
  if (prefix.endsWith('X')) warnOnce(undefined, TEMPLATE)
  return innerCall('mkdtemp', [`${prefix}XXXXXX`], () => encodeName(makeUnique(view, prefix), options))
}

function makeUnique(view: WriteView, prefix: string): string {
  for (let tries = 1; ; tries++) {
    const name = prefix + randomLetters()
    try {
      view.layer.mkdir(view.target(name, 'exact', 'mkdir').path, createdMode(0o700))
      return name
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || tries === TRIES) throw error
    }
  }
}

function randomLetters(): string {
  return Array.from({ length: RANDOM }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}
