import fs from 'node:fs'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import { createBareFacade, tempDir, treeOf } from '../support/facade.js'
import { startSession, testWorkspace } from '../support/workspace.js'
import { withRequire } from './governed-require.js'
import { installLibraries } from './installed.js'

/**
 * npm libraries, loaded with `session.fs` instead of `node:fs`, compared with the same work by Node's on a plain
 * directory: their results, the resulting trees, and the tree on disk after a commit.
 */

type Use = (load: NodeJS.Require, api: typeof fs, root: string) => Promise<unknown>

const SOURCES: Readonly<Record<string, string>> = {
  'src/main.js': "import { b } from './b.js'\nexport const lazy = () => import('./deep/lazy.js')\nconsole.log(b(2))\n",
  'src/b.js': "import data from './deep/data.json'\nexport const b = (n) => n * data.factor\n",
  'src/deep/lazy.js': "import { c } from '../c.cjs'\nexport default c\n",
  'src/deep/data.json': '{ "factor": 21 }\n',
  'src/c.cjs': 'exports.c = 3\n',
  'src/.hidden/x.js': 'hidden\n',
  'docs/one.md': '# One\n',
  'docs/é/two.md': '# Two\n',
}

const INTENTS = `active_intents:
  - id: INT-001
    name: Work
    status: IN_PROGRESS
    owned_scope: ["work/**"]
`

const sum = (run: () => Promise<unknown>) => run().catch(({ code }: NodeJS.ErrnoException) => code)

const LIBRARIES: Readonly<Record<string, Use>> = {
  async 'fs-extra'(load, _, root) {
    const extra = load('fs-extra')
    await extra.outputFile(`${root}/made/a/b/c.txt`, 'deep')
    await extra.outputJson(`${root}/made/x.json`, { x: [1, 2] }, { spaces: 2 })
    await extra.ensureDir(`${root}/made/empty/one`)
    await extra.copy(`${root}/src`, `${root}/made/copy`, { filter: (name: string) => !name.endsWith('.cjs') })
    extra.copySync(`${root}/docs`, `${root}/made/docs`, { preserveTimestamps: true })
    await extra.move(`${root}/made/copy/deep`, `${root}/made/moved`)
    await extra.move(`${root}/made/x.json`, `${root}/made/moved/data.json`, { overwrite: true })
    await extra.ensureSymlink(`${root}/docs/one.md`, `${root}/made/link.md`)
    await extra.ensureLink(`${root}/src/b.js`, `${root}/made/hard.js`)
    await extra.emptyDir(`${root}/made/a`)
    await extra.remove(`${root}/src/.hidden`)
    extra.createFileSync(`${root}/made/new/file`)
    const times = [`${root}/docs/one.md`, `${root}/made/docs/one.md`].map((name) => extra.statSync(name).mtimeMs)
    return [
      times[0] === times[1],
      await extra.readJson(`${root}/made/moved/data.json`),
      await extra.pathExists(`${root}/src/.hidden`),
      await sum(() => extra.move(`${root}/src/b.js`, `${root}/src/c.cjs`)),
      await sum(() => extra.copy(`${root}/src`, `${root}/src/inner`)),
      await sum(() => extra.readJson(`${root}/absent.json`)),
    ]
  },
  async 'graceful-fs'(load, api, root) {
    const graceful = load('graceful-fs').gracefulify({ ...api })
    const names = Array.from({ length: 400 }, (_, i) => `${root}/many/${i}`)
    graceful.mkdirSync(`${root}/many`)
    const each = (call: (name: string, done: (error: unknown, value?: unknown) => void) => void) =>
      Promise.all(
        names.map((name) => new Promise((yes, no) => call(name, (error, value) => (error ? no(error) : yes(value))))),
      )
    await each((name, done) => graceful.writeFile(name, name.slice(root.length), done))
    const read = await each((name, done) => graceful.readFile(name, 'utf8', done))
    await each((name, done) => graceful.rename(name, `${name}.txt`, done))
    await pipeline(graceful.createReadStream(`${root}/many/7.txt`), graceful.createWriteStream(`${root}/many/copy`))
    return [
      read,
      graceful.readdirSync(`${root}/many`).sort(),
      await text(graceful.createReadStream(`${root}/src/b.js`)),
    ]
  },
  async glob(load, api, root) {
    const { glob, globSync, globStream } = load('glob')
    const found: unknown[] = []
    const options = { cwd: root, fs: api }
    for (const pattern of ['**/*.{js,cjs}', '**', 'docs/*/', 'src/**/[a-l]*.js'])
      for (const more of [
        {},
        { dot: true, nodir: true },
        { absolute: true, mark: true },
        { follow: true, maxDepth: 2 },
      ]) {
        const sync: string[] = globSync(pattern, { ...options, ...more }).sort()
        const streamed: string[] = []
        for await (const name of globStream(pattern, { ...options, ...more })) streamed.push(name)
        expect([(await glob(pattern, { ...options, ...more })).sort(), streamed.sort()]).toEqual([sync, sync])
        found.push(sync)
      }
    const entries = await glob('docs/**', { ...options, withFileTypes: true, stat: true })
    found.push(entries.map((entry: { name: string; isFile(): boolean }) => [entry.name, entry.isFile()]).sort())
    return found
  },
  async tar(load, api, root) {
    const tar = load('tar')
    const common = { cwd: root, portable: true, mtime: new Date(1_000_000) }
    api.symlinkSync('main.js', `${root}/src/link.js`)
    api.linkSync(`${root}/src/b.js`, `${root}/src/hard.js`)
    const names = ['docs/one.md', 'docs/é/two.md', 'src/link.js', 'src/main.js', 'src/b.js', 'src/hard.js']
    // With several jobs, tar 7.5.14 to 7.5.23 may end the stream twice if two names link to one file (node-tar issue 460).
    await tar.create({ ...common, gzip: true, jobs: 1, file: `${root}/a.tgz` }, names)
    tar.create({ ...common, sync: true, file: `${root}/b.tar` }, names)
    tar.update({ ...common, sync: true, file: `${root}/b.tar` }, ['src/c.cjs'])
    for (const [file, to] of [
      ['a.tgz', 'one'],
      ['b.tar', 'two'],
    ]) {
      api.mkdirSync(`${root}/${to}`)
      await tar.extract({ file: `${root}/${file}`, cwd: `${root}/${to}`, preserveOwner: false })
    }
    api.mkdirSync(`${root}/strip`)
    await pipeline(api.createReadStream(`${root}/a.tgz`), tar.extract({ cwd: `${root}/strip`, strip: 1 }))
    const listed: string[] = []
    await tar.list({ file: `${root}/b.tar`, onReadEntry: (entry: { path: string }) => listed.push(entry.path) })
    return [listed, api.statSync(`${root}/one/docs/one.md`).mtimeMs, api.statSync(`${root}/one/src/b.js`).nlink]
  },
  async webpack(load, _, root) {
    const webpack = load('webpack')
    const results = []
    for (const mode of ['production', 'development']) {
      const compiler = webpack({
        ...{ mode, context: root, entry: './src/main.js', devtool: mode === 'production' ? 'source-map' : false },
        output: { path: `${root}/out/${mode}`, clean: true },
        optimization: { minimize: false },
      })
      for (const round of ['first', 'second']) {
        const stats = await new Promise<{ toJson(options: object): { errors: unknown[]; assets: { name: string }[] } }>(
          (yes, no) => compiler.run((error: unknown, result: never) => (error ? no(error) : yes(result))),
        )
        const { errors, assets } = stats.toJson({ all: false, assets: true, errors: true })
        results.push([round, errors, assets.map(({ name }) => name).sort()])
      }
      await new Promise((done) => compiler.close(done))
    }
    return results
  },
  async rollup(load, _, root) {
    const { rollup } = load('rollup')
    const json = {
      name: 'json',
      transform: (code: string, id: string) => (id.endsWith('.json') ? `export default ${code}` : null),
    }
    const cjs = {
      name: 'cjs',
      transform: (code: string, id: string) =>
        id.endsWith('.cjs') ? code.replace('exports.c', 'export const c') : null,
    }
    const bundle = await rollup({ input: `${root}/src/main.js`, plugins: [json, cjs], logLevel: 'silent' })
    const { output } = await bundle.write({ dir: `${root}/out`, format: 'es', sourcemap: true })
    await bundle.close()
    const missing = await sum(() => rollup({ input: `${root}/src/absent.js` }))
    return [missing, output.map(({ fileName }: { fileName: string }) => fileName).sort()]
  },
  async esbuild(load, api, root) {
    const { build } = load('esbuild')
    // Its compiler is a separate program that opens files itself: a plugin passes on what it reads and writes.
    const governed = {
      name: 'governed',
      setup(hooks: {
        onResolve(filter: object, run: (found: { path: string; resolveDir: string; importer: string }) => object): void
        onLoad(filter: object, run: (found: { path: string }) => object): void
      }) {
        const namespace = 'governed'
        hooks.onResolve({ filter: /.*/ }, ({ path, importer }) => ({
          path: api.realpathSync(importer === '' ? path : `${dirname(importer)}/${path}`),
          namespace,
        }))
        hooks.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
          contents: api.readFileSync(path, 'utf8'),
          loader: path.endsWith('.json') ? 'json' : 'js',
        }))
      },
    }
    const { outputFiles, errors } = await build({
      ...{ entryPoints: [`${root}/src/main.js`], bundle: true, splitting: true, format: 'esm', write: false },
      ...{ outdir: `${root}/out`, plugins: [governed], absWorkingDir: root, logLevel: 'silent', chunkNames: '[name]' },
    })
    for (const { path, contents } of outputFiles) {
      api.mkdirSync(dirname(path), { recursive: true })
      api.writeFileSync(path, contents)
    }
    return [errors, outputFiles.length]
  },
}

async function isomorphicGit(load: NodeJS.Require, api: typeof fs, root: string): Promise<unknown> {
  const git = load('isomorphic-git')
  const author = { name: 'A', email: 'a@example.org', timestamp: 1_700_000_000, timezoneOffset: 0 }
  const at = { fs: api, dir: root, gitdir: `${root}/store` }
  const commit = (message: string): Promise<string> => git.commit({ ...at, message, author, committer: author })
  await git.init({ ...at, defaultBranch: 'main' })
  api.mkdirSync(`${root}/files`)
  const names = Array.from({ length: 500 }, (_, i) => `files/${i}.txt`)
  for (const name of names) api.writeFileSync(`${root}/${name}`, `${name}\n`.repeat(9))
  await git.add({ ...at, filepath: [...names, 'src', 'docs'] })
  const ids = [await commit('first')]
  await git.branch({ ...at, ref: 'other', checkout: true })
  api.writeFileSync(`${root}/files/1.txt`, 'changed')
  api.rmSync(`${root}/files/2.txt`)
  await git.add({ ...at, filepath: 'files/1.txt' })
  await git.remove({ ...at, filepath: 'files/2.txt' })
  ids.push(await commit('second'))
  await git.checkout({ ...at, ref: 'main' })
  const before = api.readFileSync(`${root}/files/1.txt`, 'utf8')
  await git.merge({ ...at, ours: 'main', theirs: 'other', author, committer: author })
  await git.checkout({ ...at, ref: 'main' })
  await git.packObjects({ ...at, oids: ids, write: true })
  const matrix: unknown[] = await git.statusMatrix(at)
  const log: { oid: string }[] = await git.log(at)
  // It contains times and inode numbers, which differ between files.
  api.rmSync(`${root}/store/index`)
  return [ids, before, log.map(({ oid }) => oid), matrix]
}

function seed(root: string): void {
  for (const [name, content] of Object.entries(SOURCES)) {
    fs.mkdirSync(dirname(`${root}/${name}`), { recursive: true })
    fs.writeFileSync(`${root}/${name}`, content)
  }
}

/** The rows of a tree without the name of the root. */
function rowsOf(api: typeof fs, root: string): string[] {
  const hex = Buffer.from(root).toString('hex')
  return treeOf(api, root)
    .map((row) => row.replaceAll(hex, '').replaceAll(root, ''))
    .sort()
}

/** Runs the work on both file systems. Returns the results and the resulting trees. */
async function compare(use: Use, real: string, api: typeof fs, root: string): Promise<void> {
  const dir = installLibraries()
  const before = treeOf(fs, root)
  const wanted = await withRequire(dir, fs, (load) => use(load, fs, real))
  const got = await withRequire(dir, api, (load) => use(load, api, root))
  expect(JSON.stringify(got).replaceAll(root, '<root>')).toBe(JSON.stringify(wanted).replaceAll(real, '<root>'))
  expect(rowsOf(api, root)).toEqual(rowsOf(fs, real))
  expect(treeOf(fs, root)).toEqual(before)
}

describe('a library has the same effects on session.fs as on node:fs', () => {
  it.each(Object.entries(LIBRARIES))('%s', async (_, use) => {
    const plain = tempDir()
    try {
      const { root: place, open } = testWorkspace({}, INTENTS)
      const [real, root] = [`${plain.path}/work`, `${place}/work`]
      seed(real)
      seed(root)
      const workspace = await open()
      const session = await startSession(workspace)
      await compare(use, real, session.fs, root)

      const review = await workspace.review(session.id)
      await review.approve()
      await review.commit()
      expect(rowsOf(fs, root)).toEqual(rowsOf(fs, real))
    } finally {
      plain.dispose()
    }
  })

  it('isomorphic-git, if no policy protects repositories', async () => {
    const outer = tempDir()
    try {
      const [real, root] = [`${outer.path}/real`, `${outer.path}/copy`]
      seed(real)
      seed(root)
      await compare(isomorphicGit, real, createBareFacade(root).fs, root)
    } finally {
      outer.dispose()
    }
  })

  it.each(['.git', 'store'])('isomorphic-git cannot create a repository in %s', async (name) => {
    const { root, open } = testWorkspace({}, INTENTS)
    const session = await startSession(await open())
    const init = withRequire(installLibraries(), session.fs, (load) =>
      load('isomorphic-git').init({ fs: session.fs, dir: `${root}/work`, gitdir: `${root}/work/${name}` }),
    )
    await expect(init).rejects.toMatchObject({ reason: 'protected_path' })
  })
})
