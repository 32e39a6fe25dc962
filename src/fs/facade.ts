import fs from 'node:fs'
import { promisify } from 'node:util'
import {
  bodyOf,
  callbackForm,
  contentPromiseForm,
  type DeriveDeps,
  existsCallbackForm,
  promiseForm,
  syncForm,
} from './derive.js'
import { type Form, OPS, rowOf } from './ops.js'

/**
 * The governed `node:fs`: a plain object with own writable properties, one for each thing the running host exports
 * (graceful-fs clones and patches it; a frozen one throws). The guards hold the functions, not the object.
 */
export function createFacade(deps: DeriveDeps): typeof fs {
  const body: BodyOf = (stem, form) => bodyOf(stem, rowOf(stem), form, deps)
  const facade: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(hostExports())) facade[name] = faceOf(name, value, body)
  facade.promises = promisesFace(body)
  addVariants(facade, body, deps)
  return facade as unknown as typeof fs
}

/** `fs.promises` is a getter on the default export; everything else is a value. */
function hostExports(): Record<string, unknown> {
  const names = Object.keys(fs).filter((name) => name !== 'promises')
  return Object.fromEntries(names.map((name) => [name, Reflect.get(fs, name)]))
}

type BodyOf = (stem: string, form: Form) => (args: readonly unknown[]) => unknown

function faceOf(name: string, value: unknown, body: BodyOf): unknown {
  if (typeof value !== 'function') return value
  if (isClass(name)) return value
  if (name.endsWith('Sync')) return named(name, syncForm(body(name.slice(0, -4), 'sync')))
  if (name === 'exists') return named(name, existsCallbackForm(body(name, 'callback')))
  const row = rowOf(name)
  // What has no callback form in the host (openAsBlob, watch, streams) throws at once when it is refused.
  const sync = row.kind === 'refused' && !(`${name}Sync` in fs)
  return named(name, sync ? syncForm(body(name, 'sync')) : callbackForm(body(name, 'callback')))
}

/** The host's own classes, so that `instanceof` holds. Stream classes open files by themselves: those are refused. */
function isClass(name: string): boolean {
  return name === 'Stats' || name === 'Dirent' || name === 'Dir'
}

function promisesFace(body: BodyOf): Record<string, unknown> {
  const face: Record<string, unknown> = {}
  for (const name of Object.keys(fs.promises)) {
    const value: unknown = Reflect.get(fs.promises, name)
    if (typeof value !== 'function') face[name] = value
    else if (name === 'writeFile' || name === 'appendFile')
      face[name] = named(name, contentPromiseForm(body(name, 'promise')))
    else face[name] = named(name, promiseForm(body(name, 'promise')))
  }
  return face
}

/** `realpath.native`, and `util.promisify`'s special shape of `exists`. */
function addVariants(facade: Record<string, unknown>, body: BodyOf, deps: DeriveDeps): void {
  const native = (form: Form) => bodyOf('realpath', { ...OPS.realpath, syscall: 'realpath' }, form, deps)
  Object.assign(facade.realpathSync as object, { native: syncForm(native('sync')) })
  Object.assign(facade.realpath as object, { native: callbackForm(native('callback')) })
  const exists = facade.exists as object
  Object.defineProperty(exists, promisify.custom, { value: promiseForm(body('exists', 'promise')) })
}

function named<T extends object>(name: string, value: T): T {
  return Object.defineProperty(value, 'name', { value: name, configurable: true })
}
