import fs from 'node:fs'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createBareFacade, tempDir, treeOf } from '../support/facade.js'
import { isFuzzing } from '../support/fuzz.js'
import { CALLS, callsFromTuple, callsOf, NAMED, type Seeded, type TriedCall } from './node-calls.js'
import { type Form, formsOf, openSeeded, outcome, seed, shut, withoutRandom } from './node-shapes.js'

/**
 * Every function with each kind of argument, valid and invalid, on a real directory by `node:fs` and on a copy of it
 * through the facade: the result, the error, whether it is thrown or reported later, and the trees must be equal. The
 * table of arguments is `node-calls.ts`. Other releases of Node check some arguments differently: the messages of
 * argument errors are not compared, and the differences between releases are in {@link APART}. The suite tests a share
 * of the table, spread over each function; `npm run fuzz` tests all of it.
 */

interface Apart {
  readonly why: string
  readonly is: (op: string, form: Form, args: readonly unknown[]) => boolean
}

const isOption = (value: unknown, name: string, wanted: unknown) =>
  typeof value === 'object' && value !== null && name in value && Reflect.get(value, name) === wanted

const [NODE = 0] = process.versions.node.split('.').map(Number)
const STAT_CALLS = ['stat', 'lstat', 'fstat', 'statfs']
const APART: readonly Apart[] = [
  {
    why: 'Node fails with a TypeError without a code where it takes options from null.',
    is: (op, _, [, options]) => STAT_CALLS.includes(op) && options === null,
  },
  {
    why: 'Node takes a mode of 1.5 for one of 1.',
    is: (op, _, args) => ['access', 'copyFile'].includes(op) && args.at(-1) === 1.5,
  },
  {
    why: 'realpath in JavaScript makes a text of anything, begins at the working directory, and names what it came to.',
    is: (op, form) => op === 'realpath' && form !== 'promise',
  },
  {
    why: 'Node copies to a Buffer path as far as it comes before it joins names as text.',
    is: (op, _, [from, to]) => op === 'cp' && [from, to].some((path) => ArrayBuffer.isView(path)),
  },
  {
    why: 'Its sync form gives EISDIR the number of EINVAL.',
    is: (op, form, [from]) => op === 'cp' && form === 'sync' && /dir(link)?\/?\.?$/.test(String(from)),
  },
  {
    why: 'Node 26 ends the process when its sync form copies a file to a dangling link.',
    is: (op, form, [, to]) => op === 'cp' && form === 'sync' && NODE >= 26 && /dangling$/.test(String(to)),
  },
  {
    why: 'The sync form names no path, and by callback a wrong option throws where nobody can catch it.',
    is: (op, form, [, options]) =>
      op === 'opendir' && (form !== 'promise' || (typeof options === 'object' && 'bufferSize' in Object(options))),
  },
  {
    why: 'A mode of null fails in two forms and means the default in the third; here it means it in all.',
    is: (op, _, [, options]) => op === 'mkdir' && isOption(options, 'mode', null),
  },
  {
    why: 'Node decodes after it has read, so this error comes late; here it is thrown as other wrong encodings are.',
    is: (op, form, [, options]) =>
      op === 'readFile' && form === 'callback' && (options === 'buffer' || isOption(options, 'encoding', 'buffer')),
  },
  {
    why: 'Forms of mkdir -p name the link they met.',
    is: (op, form, [path, options]) =>
      op === 'mkdir' && form !== 'sync' && isOption(options, 'recursive', true) && /dangling\//.test(String(path)),
  },
  {
    why: 'A link is removed by its own name alone; each form of Node does something else.',
    is: (op, _, [path, options]) =>
      op.startsWith('rm') && isOption(options, 'recursive', true) && /dirlink/.test(String(path)),
  },
  {
    why: 'Node fails with a TypeError without a code.',
    is: (op, _, args) => op === 'read' && args[3] === 5n,
  },
  {
    why: 'A callback that stands where another argument would is taken for none.',
    is: (op, form, args) =>
      form === 'callback' && ((op === 'read' && args.length === 4) || (op === 'write' && args[1] === 'text')),
  },
  {
    why: 'libuv calls reading into nothing EINVAL, but not in each release.',
    is: (op, _, [, buffers]) => op === 'readv' && Array.isArray(buffers) && buffers.length === 0,
  },
]

/** One of this many calls is tested. */
const EVERY = isFuzzing() ? 1 : 8

/** A directory, its copy, the facade over it, and descriptors of both. */
class Fixture {
  readonly #outer = tempDir()
  readonly real = `${this.#outer.path}/real`
  readonly copy = `${this.#outer.path}/copy`
  readonly before: string[]
  readonly facade: typeof fs
  readonly theirs: Seeded
  readonly ours: Seeded

  constructor() {
    seed(this.real)
    seed(this.copy)
    this.before = treeOf(fs, this.copy)
    this.facade = createBareFacade(this.copy).fs
    this.theirs = openSeeded(fs, this.real)
    this.ours = openSeeded(this.facade, this.copy)
  }

  dispose(): void {
    shut(fs, this.theirs)
    shut(this.facade, this.ours)
    this.#outer.dispose()
  }
}

/** @returns whether the call changed something, so that the next one needs a new directory */
async function compare(fixture: Fixture, call: TriedCall, form: Form): Promise<boolean> {
  const { real, copy, facade, theirs, ours, before } = fixture
  const args = call.args.map((value) => value(ours))
  if (APART.some(({ is }) => is(call.op, form, args))) return false
  const wanted = await outcome(fs, call, form, theirs)
  const got = await outcome(facade, call, form, ours)
  const label = `${call.op} ${form} ${inspect(args)}`
  expect(got, label).toBe(wanted)
  const tree = (api: typeof fs, root: string) => treeOf(api, root).map((row) => withoutRandom(row.replace(root, '')))
  expect(tree(facade, copy), label).toEqual(tree(fs, real))
  expect(treeOf(fs, copy), label).toEqual(before)
  return wanted.startsWith('gives') || !isEqual(treeOf(fs, real), before)
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.join('\n') === b.join('\n')
}

describe.each(Object.entries(CALLS))('%s', (op, kinds) => {
  const calls = [...callsOf(op, kinds), ...NAMED.filter(([named]) => named === op).flatMap(callsFromTuple)]

  it.each(formsOf(op))('accepts and refuses arguments as Node does: %s', async (form) => {
    let fixture = new Fixture()
    for (const call of calls.filter((_, i) => i % EVERY === 0)) {
      if (!(await compare(fixture, call, form))) continue
      fixture.dispose()
      fixture = new Fixture()
    }
    fixture.dispose()
  })
})
