import fs from 'node:fs'

/**
 * The differences between releases of Node, each under one name. Traits that a harmless call can show are asked of the
 * host itself; others come from its version.
 */

const NO_ENTRY = { throwIfNoEntry: false } as object
const ABSENT = `${process.execPath}-absent`
const BELOW_A_FILE = `${process.execPath}/absent`

function answersNothing(path: string): boolean {
  try {
    return fs.statSync(path, NO_ENTRY) === undefined
  } catch {
    return false
  }
}

function promisesNothing(path: string): Promise<boolean> {
  return fs.promises.stat(path, NO_ENTRY).then(
    (stats: unknown) => stats === undefined,
    () => false,
  )
}

/** The errors for which the sync form of `stat` heeds `throwIfNoEntry: false`. `lstat` does only in its sync form. */
export const STAT_SYNC_ANSWERS_NOTHING = answersNothing(BELOW_A_FILE) ? ['ENOENT', 'ENOTDIR'] : ['ENOENT']

let asked: Promise<readonly string[]> | undefined

/** The same for the other forms. Asked on first use: a module that awaits while it loads cannot be required. */
export function statAnswersNothing(): Promise<readonly string[]> {
  asked ??= Promise.all([promisesNothing(ABSENT), promisesNothing(BELOW_A_FILE)]).then(([absent, below]) => [
    ...(absent ? ['ENOENT'] : []),
    ...(below ? ['ENOTDIR'] : []),
  ])
  return asked
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const [, uvMinor = 0] = process.versions.uv.split('.').map(Number)

function since(release: number, withMinor: number): boolean {
  return major > release || (major === release && minor >= withMinor)
}

/** Whether a recursive `readdir` with file types follows links to directories, in its sync and callback forms. */
export const TYPED_READDIR_FOLLOWS_LINKS = since(22, 13)

/** Whether the sync form of `rm`, forced and recursive, treats a path below a file as absent. */
export const RM_PASSES_FILES_BY = since(24, 0)

/** Whether `cp` lets a link to a file replace one to the same file. Other releases treat both as directories. */
export const CP_ASKS_FOR_DIRECTORY = since(24, 0)

/** Whether `errorOnExist` of `cp` applies to directories too. */
export const CP_DIRECTORIES_EXIST = since(22, 0)

/** The bigints that `read` takes as a position, for the length of the read. Node 20 takes a negative one like -1. */
export function bigintPositions(length: number): readonly [least: bigint, most: bigint] {
  return since(22, 0) ? [-1n, MOST_POSITION - BigInt(length)] : [-MOST_POSITION - 1n, MOST_POSITION]
}

const MOST_POSITION = 2n ** 63n - 1n

/** Whether a copied file gets its source's owner, if this process may change owners: libuv since 1.49. */
export const COPY_KEEPS_OWNER = uvMinor >= 49

/** Whether times are truncated to whole microseconds, as libuv did until 1.52. */
export const WHOLE_MICROSECONDS = uvMinor < 52

/** Whether an infinite time means now and NaN leaves the time as it is, as in libuv since 1.51. */
export const TAKES_ANY_TIME = uvMinor >= 51
