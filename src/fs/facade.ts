import fs from 'node:fs'
import { promisify } from 'node:util'
import {
  type AnyFunction,
  type Body,
  bodyOf,
  callbackForm,
  contentPromiseForm,
  type DeriveDeps,
  existsCallbackForm,
  promiseForm,
  refuse,
  syncForm,
  watchForm,
} from './derive.js'
import { promiseOf } from './fairness.js'
import { GovernedFileHandle, type HandleDeps, handleOf, namedResult } from './file-handle.js'
import type { Form } from './op-types.js'
import { OPS, type ReadRow, type Rows, rowOf } from './ops.js'
import { type BodyOf, shapeOf } from './special-forms.js'
import { governedStreams, type Streams } from './streams.js'
import { watchEvents } from './watch-events.js'
import type { Watcher } from './watcher.js'

/**
 * Creates the governed `node:fs`: a plain object with own writable properties, one for each export of the running host
 * (graceful-fs clones and patches it; a frozen one throws). The guards are in the functions, not in the object.
 * @param rows the op table; tests remove locks from it
 */
export function createFacade(deps: DeriveDeps, rows: Rows = OPS): typeof fs {
  const body: BodyOf = (stem, form) => {
    const row = rowOf(stem, rows)
    return row.kind === 'derived' ? () => refuse(stem, 'It has no such form.', deps) : bodyOf(stem, row, form, deps)
  }
  const facade: Record<string, unknown> = {}
  const api = facade as unknown as typeof fs
  const streams = governedStreams(api)
  for (const [name, value] of Object.entries(hostExports()))
    facade[name] =
      typeof value === 'function' ? faceOf(name, value, rows, body, streams) : refuseFunctions(name, value, body)
  facade.promises = promisesFace(body, handleDeps(body, streams, deps))
  addVariants(facade, body, deps)
  return api
}

/** `fs.promises` is a getter on the default export. Everything else is a value. */
function hostExports(): Record<string, unknown> {
  const names = Object.keys(fs).filter((name) => name !== 'promises')
  return Object.fromEntries(names.map((name) => [name, Reflect.get(fs, name)]))
}

function faceOf(name: string, value: unknown, rows: Rows, body: BodyOf, streams: Streams): unknown {
  if (isClass(name)) return value
  const shape = shapeOf(name)
  if (shape) return withName(name, shape(body))
  const stream = streamFace(name, streams)
  if (stream) return stream
  if (name.endsWith('Sync')) return withName(name, syncForm(body(name.slice(0, -4), 'sync')))
  if (name === 'exists') return withName(name, existsCallbackForm(body(name, 'callback')))
  const row = rowOf(name, rows)
  if (row.kind === 'watch') return withName(name, watchForm(body(name, 'sync')))
  // A refused function without a callback form in the host (openAsBlob, watch) throws at once.
  const sync = row.kind === 'refused' && !(`${name}Sync` in fs)
  return withName(name, sync ? refusalForm(body(name, 'sync')) : callbackForm(body(name, 'callback')))
}

/** A function and not an arrow: the refused export may be a class, for `new` and `instanceof`. */
function refusalForm(body: Body): (...args: unknown[]) => unknown {
  return function refusal(...args) {
    return body(args)
  }
}

/** Keeps constants. In an object that a newer host may export, refuses each function by its name. */
function refuseFunctions(name: string, value: unknown, body: BodyOf): unknown {
  if (name === 'constants' || typeof value !== 'object' || value === null) return value
  const inner = Object.entries(value).filter(([, each]) => typeof each !== 'object')
  const refuseMember = (key: string) => withName(key, refusalForm(body(`${name}.${key}`, 'sync')))
  return Object.fromEntries(inner.map(([key, each]) => [key, typeof each === 'function' ? refuseMember(key) : each]))
}

/** Whether a name is one of the host's own classes, which stay for `instanceof`. */
function isClass(name: string): boolean {
  return name === 'Stats' || name === 'Dirent' || name === 'Dir'
}

function streamFace(name: string, streams: Streams): unknown {
  if (name === 'createReadStream' || name === 'createWriteStream') return withName(name, streams[name])
  if (name === 'ReadStream' || name === 'FileReadStream') return streams.ReadStream
  return name === 'WriteStream' || name === 'FileWriteStream' ? streams.WriteStream : undefined
}

function handleDeps(body: BodyOf, streams: Streams, deps: DeriveDeps): HandleDeps {
  return {
    call: (stem, args, form = 'promise') => body(stem, form)(args),
    readStream: streams.createReadStream,
    writeStream: streams.createWriteStream,
    refuse: (name, why) => refuse(name, why, deps),
  }
}

function promisesFace(body: BodyOf, handles: HandleDeps): Record<string, unknown> {
  const face: Record<string, unknown> = {}
  for (const name of Object.keys(fs.promises)) {
    const value: unknown = Reflect.get(fs.promises, name)
    face[name] =
      typeof value === 'function'
        ? withName(name, promiseFace(name, body, handles))
        : refuseFunctions(name, value, body)
  }
  return face
}

function promiseFace(name: string, body: BodyOf, handles: HandleDeps): AnyFunction {
  const shape = shapeOf(`promises.${name}`)
  if (shape) return shape(body)
  const run = body(name, 'promise')
  if (name === 'watch') return eventsForm(watchForm(run))
  if (name === 'open') return (...args) => promiseOf(() => handleOf(Number(run(args)), handles))
  if (name === 'writeFile' || name === 'appendFile') return contentPromiseForm(byDescriptor(run))
  return name === 'readFile' ? promiseForm(byDescriptor(run)) : promiseForm(run)
}

type Promised = (...args: unknown[]) => Promise<unknown>

/**
 * Whole-file reads and writes in promise form also take a FileHandle instead of a path. The handle's descriptor is read
 * at each call, because a handle can be closed meanwhile.
 */
function byDescriptor(body: Body): Body {
  return ([file, ...rest]) => body([file instanceof GovernedFileHandle ? file.fd : file, ...rest])
}

/** `promises.watch`: an async iterator over the events of `fs.watch`. */
function eventsForm(watch: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  return (path, options) => watchEvents(() => watch(path, options) as Watcher, options)
}

const NAMED_RESULTS = ['read', 'readv', 'write', 'writev']

/** `realpath.native`, and the forms that `util.promisify` finds on functions whose callbacks are not (error, value). */
function addVariants(facade: Record<string, unknown>, body: BodyOf, deps: DeriveDeps): void {
  // Like the promise form, these do not normalise the name first: a slash after a file is an error.
  const run: ReadRow['run'] = (view, args) => OPS.realpath.run(view, args, 'promise')
  const native = (form: Form) => bodyOf('realpath', { ...OPS.realpath, syscall: 'realpath', run }, form, deps)
  Object.assign(facade.realpathSync as object, { native: syncForm(native('sync')) })
  Object.assign(facade.realpath as object, { native: callbackForm(native('callback')) })
  customize(facade.exists, promiseForm(body('exists', 'promise')))
  for (const name of NAMED_RESULTS) {
    const run = body(name, 'callback')
    customize(facade[name], (...args) => promiseOf(() => namedResult(name, run(args))))
  }
}

function customize(callbackFunction: unknown, promised: Promised): void {
  Object.defineProperty(callbackFunction, promisify.custom, { value: promised })
}

function withName<T extends object>(name: string, value: T): T {
  return Object.defineProperty(value, 'name', { value: name, configurable: true })
}
