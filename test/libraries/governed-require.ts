import type fs from 'node:fs'
import Module, { createRequire } from 'node:module'
import { join, sep } from 'node:path'

/**
 * The setup of docs/injected-fs.md for CommonJS. Until `done` has ended, a package that is required later gets the same
 * `fs`.
 */
export async function withRequire<T>(
  dir: string,
  api: typeof fs,
  done: (load: NodeJS.Require) => Promise<T>,
): Promise<T> {
  const facades = new Map<string, unknown>([
    ['fs', api],
    ['fs/promises', api.promises],
  ])
  const original: unknown = Reflect.get(Module, '_load')
  if (typeof original !== 'function') throw new Error('This Node does not load CommonJS through Module._load.')
  const load = (request: string, parent: NodeJS.Module | undefined, isMain: boolean): unknown => {
    const facade = facades.get(request.replace(/^node:/, ''))
    const isGoverned = parent?.filename?.startsWith(dir + sep)
    return facade !== undefined && isGoverned ? facade : Reflect.apply(original, Module, [request, parent, isMain])
  }
  const require = createRequire(join(dir, 'package.json'))
  for (const name of Object.keys(require.cache)) if (name.startsWith(dir + sep)) delete require.cache[name]
  Reflect.set(Module, '_load', load)
  try {
    return await done(require)
  } finally {
    Reflect.set(Module, '_load', original)
  }
}
