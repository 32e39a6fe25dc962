import type fs from 'node:fs'
import fc from 'fast-check'

/** The actions of the people and programs of a history, as data: a failing history is printed in readable form. */

export type FileAct =
  | { readonly act: 'write' | 'append'; readonly path: string; readonly text: string }
  | { readonly act: 'mkdir' | 'remove' | 'unlink' | 'rmdir'; readonly path: string }
  | { readonly act: 'rename' | 'link' | 'copy'; readonly from: string; readonly to: string }
  | { readonly act: 'symlink'; readonly target: string; readonly path: string }
  | { readonly act: 'chmod'; readonly path: string; readonly mode: number }
  | { readonly act: 'truncate'; readonly path: string; readonly size: number }
  | { readonly act: 'read' | 'utimes'; readonly path: string }

export type Form = 'sync' | 'callback' | 'promise'

export type Step =
  | { readonly who: 'agent'; readonly session: 0 | 1; readonly form: Form; readonly does: FileAct }
  | { readonly who: 'person'; readonly does: FileAct }
  | { readonly who: 'reviewer'; readonly session: 0 | 1; readonly apart: boolean; readonly does: ReviewAct }
  | { readonly who: 'host'; readonly does: 'reopen' | 'flush' }

export type ReviewAct =
  | { readonly act: 'approve'; readonly only?: number }
  | { readonly act: 'commit' | 'discard' | 'undo' }
  /** Everything at once, as most people do. */
  | { readonly act: 'approve and commit' }

const NAMES = ['a', 'b', 'a/b', 'a/c', 'b/a', 'a/b/c', 'd', 'd/é', 'd/b']
const path = fc.constantFrom(...NAMES)
const text = fc.constantFrom('', 'one\n', 'two\n', 'one\ntwo\n', 'three\nfour\nfive\n')

const fileAct: fc.Arbitrary<FileAct> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ act: fc.constant('write' as const), path, text }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('append' as const), path, text }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('mkdir' as const), path }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('remove', 'remove', 'unlink', 'rmdir'), path }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('rename' as const), from: path, to: path }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('link' as const), from: path, to: path }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('copy' as const), from: path, to: path }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('symlink' as const), target: fc.constantFrom('a', 'b', 'd'), path }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('chmod' as const), path, mode: fc.constantFrom(0o755, 0o600) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('truncate' as const), path, size: fc.constantFrom(0, 2, 9) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('read', 'utimes'), path }) },
)

const always: readonly fc.WeightedArbitrary<ReviewAct>[] = [
  { weight: 4, arbitrary: fc.constant({ act: 'approve and commit' as const }) },
  { weight: 2, arbitrary: fc.constant({ act: 'approve' as const }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('approve' as const), only: fc.nat({ max: 3 }) }) },
  { weight: 3, arbitrary: fc.constant({ act: 'commit' as const }) },
]
/** These revert the agent's changes: its calls no longer have the results of a plain directory. */
const takingBack: fc.WeightedArbitrary<ReviewAct> = {
  weight: 1,
  arbitrary: fc.record({ act: fc.constantFrom('discard' as const, 'undo' as const) }),
}

/** Whether people edit the disk, and whether there is a second session, is one choice for the whole history. */
export interface Cast {
  readonly people: boolean
  readonly second: boolean
}

export function steps({ people, second }: Cast): fc.Arbitrary<Step[]> {
  const session = second ? fc.constantFrom<0 | 1>(0, 1) : fc.constant<0 | 1>(0)
  const form = fc.constantFrom<Form>('sync', 'sync', 'callback', 'promise')
  const reviewAct = people || second ? fc.oneof(...always, takingBack) : fc.oneof(...always)
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ who: fc.constant('agent' as const), session, form, does: fileAct }) },
    { weight: people ? 4 : 0, arbitrary: fc.record({ who: fc.constant('person' as const), does: fileAct }) },
    {
      weight: 4,
      arbitrary: fc.record({ who: fc.constant('reviewer' as const), session, apart: fc.boolean(), does: reviewAct }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ who: fc.constant('host' as const), does: fc.constantFrom('reopen', 'flush') }),
    },
  )
  return fc.array(step, { minLength: 4, maxLength: 16, size: 'max' })
}

/** The part of `node:fs` that acts are made of. */
export type Files = typeof fs

/** Performs an act below a directory. @returns the error's code, or the result of a read */
export async function perform(api: Files, root: string, does: FileAct, form: Form): Promise<string> {
  const call = async (name: keyof Files, ...args: unknown[]): Promise<unknown> => {
    if (form === 'promise') return invoke(api.promises, name, args)
    if (form === 'sync') return invoke(api, `${name}Sync`, args)
    return new Promise((done, fail) => {
      const callback = (error: unknown, answer: unknown) => (error ? fail(error) : done(answer))
      invoke(api, name, [...args, callback])
    })
  }
  const at = (name: string) => `${root}/${name}`
  try {
    switch (does.act) {
      case 'write':
        await call('writeFile', at(does.path), does.text)
        break
      case 'append':
        await call('appendFile', at(does.path), does.text)
        break
      case 'mkdir':
        await call('mkdir', at(does.path), { recursive: true })
        break
      case 'remove':
        await call('rm', at(does.path), { recursive: true, force: true })
        break
      case 'unlink':
      case 'rmdir':
        await call(does.act, at(does.path))
        break
      case 'rename':
      case 'link':
        await call(does.act, at(does.from), at(does.to))
        break
      case 'copy':
        // Of a directory Node removes the destination before it fails.
        if (api.statSync(at(does.from)).isFile()) await call('copyFile', at(does.from), at(does.to))
        break
      case 'symlink':
        // Next to the link itself, so that it stays within the scope at any depth.
        await call('symlink', does.target, at(does.path))
        break
      case 'chmod':
        await call('chmod', at(does.path), does.mode)
        break
      case 'truncate':
        await call('truncate', at(does.path), does.size)
        break
      case 'utimes':
        await call('utimes', at(does.path), 1_000, 2_000)
        break
      case 'read':
        return String(await call('readFile', at(does.path), 'utf8'))
    }
    return 'ok'
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

function invoke(on: object, name: string, args: unknown[]): unknown {
  const call: unknown = Reflect.get(on, name)
  if (typeof call !== 'function') throw new Error(`There is no ${name}.`)
  return Reflect.apply(call, on, args)
}

/** Names that an act of these may have changed. */
export function touches(does: FileAct): string[] {
  if ('to' in does) return [does.from, does.to]
  return [does.path]
}
