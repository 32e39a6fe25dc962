import fs from 'node:fs'

/**
 * The differences between releases of Node, each under one name. A trait that a harmless call can show is tested on the
 * host itself; the others are derived from its version.
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

let pending: Promise<readonly string[]> | undefined

/** The same for the other forms. Asked on first use: a module that awaits while it loads cannot be required. */
export function statAnswersNothing(): Promise<readonly string[]> {
  pending ??= Promise.all([promisesNothing(ABSENT), promisesNothing(BELOW_A_FILE)]).then(([absent, below]) => [
    ...(absent ? ['ENOENT'] : []),
    ...(below ? ['ENOTDIR'] : []),
  ])
  return pending
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

/** Whether the sync form of `cp` reports what it cannot copy by plain errors, with a code alone. */
export const CP_SYNC_ERRORS_ARE_PLAIN = since(22, 8)

/**
 * Whether the promise form of a recursive `readdir` walks as the other forms do: in the order in which it finds directories, and
 * through links to directories with file types, too.
 */
export const READDIR_PROMISE_WALKS_ALIKE = since(26, 9)

/** Whether the sync form of a recursive `cp` may write through links to directories in its destination: 22.0 does not, 22.8 does. */
export const CP_SYNC_FOLLOWS_LINKS = since(22, 1)

/** Whether `truncate` takes a descriptor, in its sync and callback forms. */
export const TRUNCATE_TAKES_DESCRIPTOR = !since(24, 0)

/** Whether a wrong type of `symlink` is an invalid argument. Before, it was an error of its own, for strings only. */
export const SYMLINK_TYPE_IS_ARGUMENT = since(24, 0)

/** Whether `rmdir` refuses the option `recursive`, and ignores those for retries. */
export const RMDIR_REFUSES_RECURSIVE = since(25, 0)

/** Whether the promise forms of `stat` require an object as options, and take a signal. */
export const STAT_PROMISE_CHECKS_OPTIONS = since(26, 8)

/** Whether the error of reading a directory names its path, in the promise and callback forms of `readFile`. */
export const READ_OF_DIRECTORY_NAMES_PATH = since(26, 8)

/** Whether `openAsBlob` reports a path that it cannot read by the error of stat(2), at once. */
export const BLOB_THROWS_STAT_ERRORS = since(26, 9)

/** Whether `**` of a glob lets the next segment match below a link to a directory. */
export const GLOBSTAR_ENTERS_LINKS = !since(26, 9)

/** Whether `glob` takes `maxDepth`. */
export const GLOB_TAKES_DEPTH = since(26, 9)

/** Whether `readFile` takes memory to fill. */
export const READS_INTO_BUFFERS = since(26, 4) || (major === 24 && minor >= 19)

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
