import type fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/**
 * The first lock, by type: every function of `node:fs`, `fs/promises` and `FileHandle` that the host's types know has a
 * stem here (`readFile` for readFile, readFileSync and promises.readFile), and the op tables must have a row for each.
 */

type Callable = (...args: never[]) => unknown
type FunctionNames<T> = Extract<{ [K in keyof T]: T[K] extends Callable ? K : never }[keyof T], string>
type WithoutSync<K> = K extends `${infer Stem}Sync` ? Stem : K

export type Stem = WithoutSync<FunctionNames<typeof fs>> | FunctionNames<typeof fs.promises>

export type HandleMethod = FunctionNames<FileHandle>
