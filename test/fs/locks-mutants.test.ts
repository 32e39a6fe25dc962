import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { OPS, type Row, type Rows } from '../../src/fs/ops.js'
import { makeEveryCall, runSealed } from '../support/attempt.js'
import { type Callable, type FsFunction, functionsOf } from '../support/make-call.js'
import { createSealedWorkspace, type Guard, type Mode } from '../support/sealed.js'

/**
 * Removes the locks, one row at a time: a row that acts without being judged, and a row whose work is the host's own
 * function. The calls of deny-all.test.ts must detect each; those that no call can detect are listed here.
 */

interface Mutant {
  readonly what: string
  readonly stem: string
  readonly rows: (guard: Guard) => Rows
}

type RunRow = Extract<Row, { run: unknown }>

function hostFunction(stem: string): Callable | undefined {
  // Only macOS has it; elsewhere its promise form exists, and fails.
  if (stem === 'lchmod' && typeof fs.lchmodSync !== 'function') return undefined
  const found: unknown = Reflect.get(fs, `${stem}Sync`) ?? Reflect.get(fs, stem) ?? Reflect.get(fs.promises, stem)
  return typeof found === 'function' ? (found as Callable) : undefined
}

/** The row with a guard that allows everything. */
function skipGuard(row: RunRow, guard: Guard): RunRow {
  const run: Callable = (...args) => {
    guard.off = guard.mode !== 'stage'
    try {
      return Reflect.apply(row.run, undefined, args)
    } finally {
      guard.off = false
    }
  }
  return { ...row, run }
}

/** The row passes its arguments to the host. */
function callHostDirectly(row: Row, host: Callable, guard: Guard): Row {
  const own: RunRow =
    'run' in row ? row : { kind: 'write', syscall: 'x', paths: 0, follow: true, tree: false, run: () => undefined }
  const run: Callable = (...args) =>
    guard.mode === 'stage' ? Reflect.apply(own.run, undefined, args) : host(...(args[1] as unknown[]))
  return { ...own, run }
}

const rows: Rows = OPS
const mutants: Mutant[] = Object.entries(rows).flatMap(([stem, row]) => {
  const host = hostFunction(stem)
  const mutant = (what: string, mutate: (guard: Guard) => Row): Mutant => ({
    ...{ what: `${stem} ${what}`, stem },
    rows: (guard) => ({ ...rows, [stem]: mutate(guard) }),
  })
  if (row.kind === 'derived' || !host) return []
  return [
    ...('run' in row ? [mutant('unjudged', (guard) => skipGuard(row, guard))] : []),
    mutant('handed to the host', (guard) => callHostDirectly(row, host, guard)),
  ]
})

/** One form is enough, because all three are derived from the row. A second close would close another file. */
function oneForm(stem: string): (fsFunction: FsFunction) => boolean {
  const names = functionsOf(fs).filter((fsFunction) => fsFunction.stem === stem)
  const plain = names.filter(({ name, form }) => form === 'plain' && name.endsWith('Sync'))
  const wanted = plain.length > 0 ? plain : names
  return ({ name, form }) => wanted.some((fsFunction) => fsFunction.name === name && fsFunction.form === form)
}

const MODES: Mode[] = ['deny writes', 'deny all']

async function isCaught({ stem, rows: mutated }: Mutant): Promise<boolean> {
  for (const mode of MODES) {
    const { breaches } = await runSealed(
      mode,
      makeEveryCall(stem, mode, oneForm(stem)),
      createSealedWorkspace(mode, mutated),
    )
    if (breaches.size > 0) return true
  }
  return false
}

/** No call can distinguish these from the unchanged row, with the reason. */
const UNSEEN: Readonly<Record<string, string>> = {
  '_toUnixTimestamp handed to the host': 'arithmetic',
  '_toUnixTimestamp unjudged': 'arithmetic',
  'close unjudged': 'asks for no decision: what was granted is given up',
  'fdatasync unjudged': 'asks for no decision: nothing comes about that was not granted',
  'fstat unjudged': 'asks for no decision: the descriptor was granted when it was opened',
  'fsync unjudged': 'asks for no decision: nothing comes about that was not granted',
  'opendir handed to the host': 'its face makes a Dir of the names a row lists, and a Dir of the host lists none',
  'unwatchFile handed to the host': 'ends a watch, and tells nothing',
  'unwatchFile unjudged': 'ends a watch, and tells nothing',
  'watchFile handed to the host': 'tells nothing until the disk changes: watch-file.test.ts',
  'watchFile unjudged': 'tells nothing until the disk changes: watch-file.test.ts',
}

describe('a row without its lock', { timeout: 180_000 }, () => {
  it('is detected, except where it has no visible effect', async () => {
    const missed: string[] = []
    for (const mutant of mutants) if (!(await isCaught(mutant))) missed.push(mutant.what)
    expect(missed.sort()).toEqual(Object.keys(UNSEEN).sort())
    expect(mutants.length).toBeGreaterThan(80)
  })
})
