import fs from 'node:fs'
import { promisify } from 'node:util'
import { type RouteContext, routeCall } from './route-call.js'

/**
 * An fs for a host's whole process: calls on the workspace, and all calls of a tool, go to the session; the host's
 * other calls go to its own functions. A plain object, like the session's.
 */

type CurrentContext = () => RouteContext
type Call = (...args: unknown[]) => unknown
type Keys = readonly (string | symbol)[]

const STREAMS: Readonly<Record<string, string>> = {
  ReadStream: 'createReadStream',
  FileReadStream: 'createReadStream',
  WriteStream: 'createWriteStream',
  FileWriteStream: 'createWriteStream',
}
/** Promise forms that do not return a promise. */
const ITERATED = new Set(['watch', 'glob'])
const HANDED_ON = new Set(['Stats', 'Dirent', 'Dir', 'constants'])

/** @param context returns the context of each call; if it throws, the call fails */
export function routedFs(context: CurrentContext): typeof fs {
  const face: Record<string, unknown> = {}
  for (const name of Object.keys(fs)) if (name !== 'promises') face[name] = faceOf(name, context)
  face.promises = Object.fromEntries(Object.keys(fs.promises).map((name) => [name, promiseFace(name, context)]))
  return face as unknown as typeof fs
}

/** Leaves out exports that are neither a function nor a constant. */
function faceOf(name: string, context: CurrentContext): unknown {
  const value: unknown = Reflect.get(fs, name)
  if (HANDED_ON.has(name)) return value
  if (typeof value !== 'function') return typeof value === 'object' ? undefined : value
  const stream = STREAMS[name]
  if (stream !== undefined) return streamClass(name, stream, value, context)
  const stem = name.replace(/Sync$/, '')
  const face = routedCall([name], stem, context)
  if ('native' in value) Object.assign(face, { native: routedCall([name, 'native'], stem, context) })
  // `util.promisify` finds these on functions whose callbacks are not (error, value).
  if (Object.getOwnPropertySymbols(value).length > 0)
    Object.defineProperty(face, promisify.custom, { value: promiseForm(name, stem, context) })
  return withName(name, face)
}

function promiseFace(name: string, context: CurrentContext): unknown {
  const value: unknown = Reflect.get(fs.promises, name)
  if (typeof value !== 'function') return name === 'constants' ? value : undefined
  const face = routedCall(['promises', name], name, context)
  return withName(name, ITERATED.has(name) ? face : later(face))
}

/** A function and not an arrow: a refused export may be a class. */
function routedCall(keys: Keys, stem: string, context: CurrentContext): Call {
  const isSync = keys[0] === `${stem}Sync`
  return function routedCall(...args) {
    const { to, given, run } = routeCall(stem, args, context(), isSync)
    return run(() => functionAt(to, keys, given))
  }
}

function promiseForm(name: string, stem: string, context: CurrentContext): Call {
  return async (...args) => {
    const { to, given, run } = routeCall(stem, args, context())
    const found: unknown = Reflect.get(to, name)
    if (typeof found !== 'function') throw new TypeError(`fs.${name} is not a function`)
    return run(() => Reflect.apply(promisify(found), to, given))
  }
}

function functionAt(to: object, keys: Keys, args: readonly unknown[]): unknown {
  let of: unknown = to
  let found: unknown = to
  for (const key of keys) {
    of = found
    found = Reflect.get(Object(found), key)
  }
  if (typeof found !== 'function') throw new TypeError(`fs.${keys.map(String).join('.')} is not a function`)
  return Reflect.apply(found, of, args)
}

/** Turns an error that is thrown before the promise exists into a rejection. */
function later(face: Call): Call {
  return async (...args) => face(...args)
}

/** A class that works with and without `new`, and on an object of an old-style derived class, as the host's own. */
function streamClass(name: string, stem: string, host: object, context: CurrentContext): unknown {
  const shape: unknown = Reflect.get(host, 'prototype')
  function Stream(this: unknown, ...args: unknown[]): unknown {
    const { to, given, run } = routeCall(stem, args, context())
    const chosen: unknown = Reflect.get(to, name)
    if (typeof chosen !== 'function') throw new TypeError(`fs.${name} is not a constructor`)
    if (new.target === undefined && this instanceof Stream) return run(() => Reflect.apply(chosen, this, given))
    const target: unknown = new.target ?? Stream
    const result = target === Stream || typeof target !== 'function' ? chosen : target
    return run(() => Reflect.construct(chosen, given, result))
  }
  Stream.prototype = shape
  return withName(name, Stream)
}

function withName<T extends object>(name: string, value: T): T {
  return Object.defineProperty(value, 'name', { value: name, configurable: true })
}
