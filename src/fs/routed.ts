import fs from 'node:fs'
import { promisify } from 'node:util'
import { type RouteContext, routeCall } from './route-call.js'

/**
 * An fs for a host's whole process: what concerns the workspace, and all that a tool call does, is the session's; the
 * rest of what a host does is its own, by the host's functions. A plain object, as the session's is.
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
/** Promise forms that give something else than a promise. */
const ITERATED = new Set(['watch', 'glob'])
const HANDED_ON = new Set(['Stats', 'Dirent', 'Dir', 'constants'])

/** @param ground of the moment: asked anew by each call; where it throws, the call fails. */
export function routedFs(ground: CurrentContext): typeof fs {
  const face: Record<string, unknown> = {}
  for (const name of Object.keys(fs)) if (name !== 'promises') face[name] = faceOf(name, ground)
  face.promises = Object.fromEntries(Object.keys(fs.promises).map((name) => [name, promiseFace(name, ground)]))
  return face as unknown as typeof fs
}

/** What is neither a function nor a constant is not known here, and no way through. */
function faceOf(name: string, ground: CurrentContext): unknown {
  const value: unknown = Reflect.get(fs, name)
  if (HANDED_ON.has(name)) return value
  if (typeof value !== 'function') return typeof value === 'object' ? undefined : value
  const stream = STREAMS[name]
  if (stream !== undefined) return streamClass(name, stream, value, ground)
  const stem = name.replace(/Sync$/, '')
  const face = routedCall([name], stem, ground)
  if ('native' in value) Object.assign(face, { native: routedCall([name, 'native'], stem, ground) })
  // Those are what `util.promisify` finds on functions whose callbacks are not (error, value).
  if (Object.getOwnPropertySymbols(value).length > 0)
    Object.defineProperty(face, promisify.custom, { value: promiseForm(name, stem, ground) })
  return withName(name, face)
}

function promiseFace(name: string, ground: CurrentContext): unknown {
  const value: unknown = Reflect.get(fs.promises, name)
  if (typeof value !== 'function') return name === 'constants' ? value : undefined
  const face = routedCall(['promises', name], name, ground)
  return withName(name, ITERATED.has(name) ? face : later(face))
}

/** A function and no arrow: what is refused may be a class. */
function routedCall(keys: Keys, stem: string, ground: CurrentContext): Call {
  return function routedCall(...args) {
    const { to, given, run } = routeCall(stem, args, ground())
    return run(() => functionAt(to, keys, given))
  }
}

function promiseForm(name: string, stem: string, ground: CurrentContext): Call {
  return async (...args) => {
    const { to, given, run } = routeCall(stem, args, ground())
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

/** What fails before there is a promise is one that rejects. */
function later(face: Call): Call {
  return async (...args) => face(...args)
}

/** With and without `new`, and on an object of a class derived the old way, as the host's own. */
function streamClass(name: string, stem: string, host: object, ground: CurrentContext): unknown {
  const shape: unknown = Reflect.get(host, 'prototype')
  function Stream(this: unknown, ...args: unknown[]): unknown {
    const { to, given, run } = routeCall(stem, args, ground())
    const chosen: unknown = Reflect.get(to, name)
    if (typeof chosen !== 'function') throw new TypeError(`fs.${name} is not a constructor`)
    if (new.target === undefined && this instanceof Stream) return run(() => Reflect.apply(chosen, this, given))
    const target: unknown = new.target ?? Stream
    const made = target === Stream || typeof target !== 'function' ? chosen : target
    return run(() => Reflect.construct(chosen, given, made))
  }
  Stream.prototype = shape
  return withName(name, Stream)
}

function withName<T extends object>(name: string, value: T): T {
  return Object.defineProperty(value, 'name', { value: name, configurable: true })
}
