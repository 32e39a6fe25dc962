import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gitIgnored } from '../../src/policy/index.js'
import { tempDir } from '../support/facade.js'

const RUNS = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 40)
const name = fc.constantFrom('a', 'b', 'build', 'x.log', '.env')
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
const line = fc.oneof(
  fc
    .tuple(fc.constantFrom('', '!'), fc.constantFrom('', '/', '**/'), path, fc.constantFrom('', '/', '/*'))
    .map((parts) => parts.join('')),
  fc.constantFrom('*.log', '!x.log', 'build/', '# a comment', '', '/a', 'a/**', '.env'),
)
const lines = fc.array(line, { maxLength: 4 })

it('ignores the same paths as git, by the files of every directory on the way', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('', 'a', 'a/b', 'build'), lines, { maxKeys: 4 }),
      lines,
      fc.uniqueArray(path, { minLength: 1, maxLength: 12 }),
      (files, exclude, paths) => {
        const { path: root, dispose } = tempDir()
        try {
          spawnSync('git', ['init', '-q', root])
          const texts: Record<string, readonly string[]> = { '.git/info/exclude': exclude }
          for (const [dir, of] of Object.entries(files)) texts[dir === '' ? '.gitignore' : `${dir}/.gitignore`] = of
          for (const [file, of] of Object.entries(texts)) {
            mkdirSync(dirname(`${root}/${file}`), { recursive: true })
            writeFileSync(`${root}/${file}`, of.map((each) => `${each}\n`).join(''))
          }
          const read = (file: string) => (file in texts ? readFileSync(`${root}/${file}`, 'utf8') : undefined)
          const isIgnored = gitIgnored(read)
          const created = [...new Set(paths.flatMap((each) => createFile(root, each)))]
          const input = created.map((each) => `${each}\0`).join('')
          const args = ['-C', root, 'check-ignore', '--no-index', '-z', '--stdin']
          const { stdout } = spawnSync('git', args, { input, encoding: 'utf8' })
          const ignored = new Set(stdout.split('\0'))
          for (const each of created) {
            const isDirectory = lstatSync(`${root}/${each}`).isDirectory()
            expect([each, isIgnored(each, isDirectory)]).toEqual([each, ignored.has(each)])
          }
        } finally {
          dispose()
        }
      },
    ),
    { numRuns: RUNS },
  )
})

/** Creates a file at a path if possible. Returns the created file and its directories. */
function createFile(root: string, path: string): string[] {
  const segments = path.split('/')
  for (let end = 1; end < segments.length; end++) {
    const dir = `${root}/${segments.slice(0, end).join('/')}`
    if (!existsSync(dir)) mkdirSync(dir)
    else if (!lstatSync(dir).isDirectory()) return []
  }
  if (!existsSync(`${root}/${path}`)) writeFileSync(`${root}/${path}`, '')
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
}

it('reads no other files than git', () => {
  const queries: string[] = []
  const isIgnored = gitIgnored((file) => {
    queries.push(file)
    return undefined
  })
  expect(isIgnored('a/b/c', false)).toBe(false)
  expect(new Set(queries)).toEqual(new Set(['.gitignore', 'a/.gitignore', 'a/b/.gitignore', '.git/info/exclude']))
})
