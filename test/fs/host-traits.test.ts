import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  COPY_KEEPS_OWNER,
  CP_DIRECTORIES_EXIST,
  RM_PASSES_FILES_BY,
  STAT_SYNC_ANSWERS_NOTHING,
  statAnswersNothing,
  TYPED_READDIR_FOLLOWS_LINKS,
  WHOLE_MICROSECONDS,
} from '../../src/fs/host-traits.js'
import { createBareFacade, tempDir } from '../support/facade.js'

/** Compares each trait with the behaviour of the running host on a real directory. */

let dir: ReturnType<typeof tempDir>
let root: string
beforeEach(() => {
  dir = tempDir()
  root = dir.path
  fs.mkdirSync(`${root}/a`)
  fs.writeFileSync(`${root}/a/x`, '')
  fs.symlinkSync('a', `${root}/link`)
})
afterEach(() => dir.dispose())

const codeOf = async (run: () => unknown): Promise<unknown> => {
  try {
    return await run()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

describe('the running host', () => {
  it.each([
    ['ENOENT', 'none'],
    ['ENOTDIR', 'a/x/below'],
  ])('returns nothing for %s if the trait says so', async (code, name) => {
    const options = { throwIfNoEntry: false } as object
    const unless = (codes: readonly string[]) => (codes.includes(code) ? undefined : code)
    const wanted = unless(await statAnswersNothing())
    expect(await codeOf(() => fs.statSync(`${root}/${name}`, options))).toBe(unless(STAT_SYNC_ANSWERS_NOTHING))
    expect(await codeOf(() => fs.promises.stat(`${root}/${name}`, options))).toBe(wanted)
    const statByCallback = () =>
      new Promise((resolve, reject) =>
        fs.stat(`${root}/${name}`, options, (error, stats) => (error ? reject(error) : resolve(stats))),
      )
    expect(await codeOf(statByCallback)).toBe(wanted)
  })

  it('lists the targets of links with file types if the trait says so', () => {
    const found = fs.readdirSync(root, { recursive: true, withFileTypes: true })
    const throughLink = found.some(({ name, parentPath }) => name === 'x' && parentPath.endsWith('link'))
    expect(throughLink).toBe(TYPED_READDIR_FOLLOWS_LINKS)
  })

  it('ignores paths below a file if the trait says so', async () => {
    const removed = await codeOf(() => fs.rmSync(`${root}/a/x/below`, { recursive: true, force: true }))
    expect(removed).toBe(RM_PASSES_FILES_BY ? undefined : 'ENOTDIR')
  })

  it('applies errorOnExist to directories too, if the trait says so', async () => {
    fs.mkdirSync(`${root}/b`)
    const options = { recursive: true, force: false, errorOnExist: true }
    const copied = await codeOf(() => fs.promises.cp(`${root}/a`, `${root}/b`, options))
    expect(copied).toBe(CP_DIRECTORIES_EXIST ? 'ERR_FS_CP_EEXIST' : undefined)
  })

  it('keeps the owner of a copied file if the trait says so, as the facade does', () => {
    const me = process.getuid?.() ?? 0
    const owner = me === 0 ? 4711 : me
    fs.chownSync(`${root}/a/x`, owner, -1)
    fs.copyFileSync(`${root}/a/x`, `${root}/host`)
    const facade = createBareFacade(root)
    facade.fs.copyFileSync(`${root}/a/x`, `${root}/ours`)
    expect(fs.statSync(`${root}/host`).uid).toBe(COPY_KEEPS_OWNER ? owner : me)
    expect(facade.fs.statSync(`${root}/ours`).uid).toBe(COPY_KEEPS_OWNER ? owner : me)
  })

  it('truncates times to microseconds, if the trait says so', () => {
    fs.utimesSync(`${root}/a/x`, 1, 1.000_000_5)
    const { mtimeNs } = fs.statSync(`${root}/a/x`, { bigint: true })
    expect(mtimeNs === 1_000_000_000n).toBe(WHOLE_MICROSECONDS)
  })
})
