import { denialOf } from '../core/denials.js'
import { isArgumentError } from './args.js'
import { type AnyFunction, type Body, callbackForm, closeForm, promiseForm, settle, syncForm } from './derive.js'
import { createDir } from './dir.js'
import { promiseOf } from './fairness.js'
import { BLOB_THROWS_STAT_ERRORS } from './host-traits.js'
import type { OpenedDir } from './kernel-dir.js'
import type { Args, Form } from './op-types.js'

/** The functions without the usual sync, callback and promise forms, or with more than one result. */

export type BodyOf = (stem: string, form: Form) => Body

/** The special form of a name in `fs`, or of `promises.<name>`, if it has one. */
export function shapeOf(name: string): ((body: BodyOf) => AnyFunction) | undefined {
  return Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined
}

const SHAPES: Readonly<Record<string, (body: BodyOf) => AnyFunction>> = {
  _toUnixTimestamp: (body) => syncForm(body('_toUnixTimestamp', 'sync')),
  openAsBlob: (body) => blobForm(body('openAsBlob', 'promise')),

  close: (body) => closeForm(body('close', 'callback')),
  opendir: (body) => callbackForm(dirBody(body, 'callback'), 'callback'),
  opendirSync: (body) => syncForm(dirBody(body, 'sync')),
  'promises.opendir': (body) => promiseForm(dirBody(body, 'promise')),

  mkdtempDisposableSync: (body) => syncForm(tempBody(body)),
  'promises.mkdtempDisposable': (body) => (prefix, options) =>
    promiseOf(() => {
      const path = body('mkdtempDisposable', 'promise')([prefix, options])
      const remove = () => promiseOf(removal(body, path))
      return { path, remove, [Symbol.asyncDispose]: remove }
    }),

  'promises.glob': (body) =>
    async function* (...args) {
      yield* body('glob', 'promise')(args) as unknown[]
    },
}

/** Throws for invalid arguments, as Node does, and since Node 26.9 for every path that cannot be read. A denial rejects the promise. */
function blobForm(body: Body): AnyFunction {
  return (...args) => {
    const answer = settle(body, args)
    if ('error' in answer && throwsFromBlob(answer.error)) throw answer.error
    return promiseOf(() => {
      if ('error' in answer) throw answer.error
      return answer.value
    })
  }
}

function throwsFromBlob(error: unknown): boolean {
  return isArgumentError(error) || (BLOB_THROWS_STAT_ERRORS && denialOf(error) === undefined)
}

function dirBody(body: BodyOf, form: Form): Body {
  const [open, list] = [body('opendir', form), body('readdir', 'sync')]
  return (args: Args) => {
    const { path, entries, recursive, bufferSize, encoding } = open(args) as OpenedDir
    const below = (dir: string) => list([dir, { withFileTypes: true, encoding }]) as OpenedDir['entries']
    return createDir({ path, entries, bufferSize, below: recursive ? below : undefined })
  }
}

function tempBody(body: BodyOf): Body {
  return (args) => {
    const path = body('mkdtempDisposable', 'sync')(args)
    const remove = removal(body, path)
    return { path, remove, [Symbol.dispose]: remove }
  }
}

function removal(body: BodyOf, path: unknown): () => void {
  return () => {
    body('rm', 'sync')([path, { recursive: true, force: true }])
  }
}
