import fs from 'node:fs'

/**
 * What the running host does otherwise than other releases of Node, each trait under one name. The host itself was asked
 * where a look at what is surely there answers; where it would take files of a certain kind, its version tells.
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

/** For which errors the sync form of `stat` heeds `throwIfNoEntry: false`. `lstat` does in its sync form alone. */
export const STAT_SYNC_ANSWERS_NOTHING = answersNothing(BELOW_A_FILE) ? ['ENOENT', 'ENOTDIR'] : ['ENOENT']

let asked: Promise<readonly string[]> | undefined

/** And for which the others do. The host is asked when this is first wanted: a module that waits while it loads cannot be required. */
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

/** Whether a recursive `readdir` with file types goes through links to directories, in its sync and callback forms. */
export const TYPED_READDIR_FOLLOWS_LINKS = since(22, 13)

/** Whether the sync form of `rm`, forced and recursive, takes what lies below a file for gone. */
export const RM_PASSES_FILES_BY = since(24, 0)

/** Whether `cp` lets a link to a file replace one to the same file. Other releases take both for directories. */
export const CP_ASKS_FOR_DIRECTORY = since(24, 0)

/** Whether `errorOnExist` of `cp` holds for directories too. */
export const CP_DIRECTORIES_EXIST = since(22, 0)

/** The bigints that `read` takes as a position, given how much is read. Node 20 takes a negative one as it does -1. */
export function bigintPositions(length: number): readonly [least: bigint, most: bigint] {
  return since(22, 0) ? [-1n, MOST_POSITION - BigInt(length)] : [-MOST_POSITION - 1n, MOST_POSITION]
}

const MOST_POSITION = 2n ** 63n - 1n

/** Whether a copied file is its source's owner's, as far as this process may give files away: libuv's since 1.49. */
export const COPY_KEEPS_OWNER = uvMinor >= 49

/** Whether times are cut to whole microseconds, as libuv did until 1.52. */
export const WHOLE_MICROSECONDS = uvMinor < 52

/** Whether an infinite time is now and NaN leaves the time as it is, as in libuv since 1.51. */
export const TAKES_ANY_TIME = uvMinor >= 51
