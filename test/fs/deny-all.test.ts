import fs from 'node:fs'
import { devNull } from 'node:os'
import { describe, expect, it } from 'vitest'
import { type CallReport, makeEveryCall, runSealed, type SealedTest } from '../support/attempt.js'
import { methodShapes } from '../support/call-shapes.js'
import { type Callable, type FsFunction, functionsOf, makeCall } from '../support/make-call.js'
import type { Mode } from '../support/sealed.js'

/**
 * Every function that the running host exports, with thousands of arguments, on a real tree with a sibling directory
 * and another directory elsewhere. Whatever the guard decides, the disk stays unchanged, including change times, and
 * the kernel reports no event. Under a guard that denies, the stage stays unchanged too.
 */

const stems = [...new Set(functionsOf(fs).map(({ stem }) => stem))]

/** The methods of each open handle. */
function everyMethodCall(name: string): SealedTest {
  return async (house, calls) => {
    for (const handle of house.opened.handles) {
      const call: Callable = (...args) => Reflect.apply(Reflect.get(handle, name), handle, args)
      const fsFunction: FsFunction = { name: `FileHandle.${name}`, stem: `FileHandle.${name}`, form: 'promise', call }
      for (const args of methodShapes(name, house)) {
        calls.calls++
        if (await makeCall(house.fs, fsFunction, args)) calls.succeeded.add(fsFunction.name)
      }
    }
  }
}

/** The method names of the host's own handles. */
async function hostMethods(): Promise<string[]> {
  const handle = await fs.promises.open(devNull)
  await handle.close()
  const prototype: object = Object.getPrototypeOf(handle)
  return Object.getOwnPropertyNames(prototype).filter((name) => {
    const { value } = Object.getOwnPropertyDescriptor(prototype, name) ?? {}
    return typeof value === 'function' && name !== 'constructor'
  })
}

async function everything(mode: Mode): Promise<{ calls: number; succeeded: string[]; broken: string[] }> {
  const reports: [string, CallReport][] = []
  for (const stem of stems) reports.push([stem, await runSealed(mode, makeEveryCall(stem, mode))])
  for (const name of await hostMethods())
    reports.push([`FileHandle.${name}`, await runSealed(mode, everyMethodCall(name))])
  return {
    calls: reports.reduce((sum, [, { calls }]) => sum + calls, 0),
    succeeded: reports.flatMap(([, { succeeded }]) => [...succeeded]).sort(),
    broken: reports.flatMap(([what, { breaches }]) => [...breaches].map((breach) => `${what}: ${breach}`)),
  }
}

describe('every function of the host', { timeout: 180_000 }, () => {
  it('changes neither disk nor stage when every write is denied', async () => {
    const { calls, broken, succeeded } = await everything('deny writes')
    expect(broken).toEqual([])
    expect(calls).toBeGreaterThan(10_000)
    // Not all of the calls are invalid: reads succeed.
    expect(succeeded).toEqual(expect.arrayContaining(['readFileSync', 'promises.stat', 'readdir', 'openSync', 'read']))
    expect(succeeded).toEqual(expect.arrayContaining(['createReadStream', 'FileHandle.read', 'promises.open']))
  })

  it('changes nothing on disk when every write is staged', async () => {
    const { broken, succeeded } = await everything('stage')
    expect(broken).toEqual([])
    expect(succeeded).toEqual(expect.arrayContaining(['writeSync', 'mkdir', 'createWriteStream', 'openSync']))
  })

  it('reveals nothing when every read is denied as absent', async () => {
    const { broken } = await everything('deny all')
    expect(broken).toEqual([])
  })
})
