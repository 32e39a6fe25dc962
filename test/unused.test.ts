import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readModule } from './support/modules.js'
import { entries, filesBelow, MANIFEST, packageOf, REPOSITORY, Usage } from './support/usage.js'

/** Every export, file and package is used. */

const CODE = /\.(?:tsx?|mjs)$/
const HOUSEHOLD = ['overlay', 'src', 'bench', 'scripts', 'examples', 'web']
const usage = new Usage([
  ...[...HOUSEHOLD, 'test'].flatMap((folder) => filesBelow(folder, CODE)),
  'vitest.clients.config.ts',
  'vitest.libraries.config.ts',
  'vitest.postgres.config.ts',
  'vitest.config.ts',
  'ts-node.mjs',
])
const isOfHouse = (file: string) => HOUSEHOLD.some((folder) => file.startsWith(`${folder}/`))
const isSource = (file: string) => /^(?:src|overlay)\//.test(file)

/** Exports that only tests use, and why they are not hidden. */
const FOR_TESTS: Readonly<Record<string, string>> = {
  'src/agents/roo/apply-diff.ts#applyBlocks': 'tried on thousands of texts, without a session for each',
  'src/cli/review/text.ts#NARROW': 'every character of it is measured',
  'src/cli/review/terminal.ts#charsetOf': 'of variables and systems other than the ones here',
  'src/core/protection.ts#PROTECTIONS': 'the table in the documents says the same',
  'src/fs/times.ts#timeNs': 'held against what a disk keeps',
  'src/os/git.ts#userIn': "held against git's own reading of thousands of files",
  'src/access/init.ts#GITATTRIBUTES': "held against this repository's own",
  'src/intents/templates.ts#BUILT_IN': 'each is valid',
  'src/policy/free-paths.ts#compileFreePaths': 'held against git, without a registry for each',
  'src/review/diff.ts#SHOW_LIMIT': 'a file is made that is longer',
  'src/cli/completion/candidates.ts#ARGUMENT_SOURCES': 'has every argument of every command',
  'src/cli/completion/candidates.ts#sourceOfOption': 'has every option that names an id',
  'src/review/last-look.ts#lookMark': 'of one hunk, without a file of looks',
  'src/trace/work-events.ts#workEventsOf': 'of records, without a ledger',
  'src/review/change-set.ts#changeSetDigest': 'the same in every order',
  'src/terminal/escape-corpus.ts#systemCallLines': 'the errors of the calls are compared',
  'src/terminal/network/proxy.ts#MAX_CONNECTIONS': 'so many are opened, and one more',
  'src/trace/line-prints.ts#PRINT_LENGTH': 'a print has it',
}

describe('exports', () => {
  const used = usage.usedExports(isOfHouse, entries())
  const tested = usage.usedExports(() => true, entries())
  const exported = usage.files
    .filter(isSource)
    .flatMap((file) => usage.exportedNames(file).map((name) => `${file}#${name}`))
  const idle = exported.filter((each) => !used.has(each))

  it('are imported by another file, or reached by an entry of the package', () => {
    expect(idle.filter((each) => !(each in FOR_TESTS))).toEqual([])
  })

  it('that FOR_TESTS lists are used by tests only', () => {
    expect(Object.keys(FOR_TESTS).filter((each) => !idle.includes(each) || !tested.has(each))).toEqual([])
  })
})

const THIS = 'test/unused.test.ts'
/** Files that are run by hand or by others, without a script of the package. */
const RUN_OTHERWISE: Readonly<Record<string, string>> = {
  'scripts/make-picture.mjs': 'by hand, for a picture of the README',
  'scripts/make-terminal-picture.mjs': 'by hand, for a picture of the README',
}

describe('files', () => {
  const scriptWords = Object.values(MANIFEST.scripts).flatMap((script) => script.split(' '))
  const page = readFileSync(join(REPOSITORY, 'web/index.html'), 'utf8')
  const roots = [
    ...entries(),
    // This suite names files that nothing else names.
    ...usage.files.filter((file) => file !== THIS && (/^test\/.*\.test\.ts$/.test(file) || scriptWords.includes(file))),
    ...[...page.matchAll(/src="\.\/([^"]+)"/g)].map(([, file]) => join('web', file ?? '')),
    ...Object.keys(RUN_OTHERWISE),
    'vitest.clients.config.ts',
    'vitest.libraries.config.ts',
    'vitest.postgres.config.ts',
    'vitest.config.ts',
    'ts-node.mjs',
  ]

  it('are loaded or named from an entry, a test or a script', () => {
    const reached = usage.reachedFiles(roots)
    expect(usage.files.filter((file) => !reached.has(file) && file !== THIS)).toEqual([])
  })

  it('that RUN_OTHERWISE lists exist, and nothing else loads them', () => {
    const reached = usage.reachedFiles(roots.filter((root) => !(root in RUN_OTHERWISE)))
    expect(Object.keys(RUN_OTHERWISE).filter((file) => reached.has(file) || !usage.files.includes(file))).toEqual([])
  })
})

/** Packages that no file imports, and what needs them. */
const UNNAMED: Readonly<Record<string, string>> = {
  '@biomejs/biome': 'formats and lints, by its command',
  '@types/node': 'the compiler',
  '@types/oidc-provider': 'the compiler',
  '@types/picomatch': 'the compiler',
  '@types/proper-lockfile': 'the compiler',
  '@types/vscode': 'the compiler, for the shapes of an editor',
  'axe-core': 'test/web/browser.test.ts finds its file, and puts it into a page',
  'ts-node': 'ts-node.mjs registers it',
  'typescript-native': 'scripts/build.mjs runs it',
}
/** Packages that the sources import although they are for development, because they are bundled. */
const BUNDLED: Readonly<Record<string, string>> = {
  '@clack/prompts': 'the command has it in its bundle',
}

/**
 * Packages that a hub's operator installs: the manifest has them as optional peers, and the code loads them on demand.
 */
const OPTIONAL = Object.keys(MANIFEST.peerDependencies)

describe('packages', () => {
  const packagesOf = (counts: (file: string) => boolean) =>
    new Set(
      usage.files
        .filter(counts)
        .flatMap((file) => usage.module(file).specifiers.flatMap((each) => packageOf(each) ?? [])),
    )
  const bySources = packagesOf(isSource)
  const byAll = packagesOf(() => true)

  it('are dependencies if the sources import them, and nowhere else', () => {
    expect(Object.keys(MANIFEST.dependencies).filter((name) => !bySources.has(name))).toEqual([])
    const foreign = [...bySources].filter((name) => !(name in MANIFEST.dependencies) && !builtinModules.includes(name))
    expect(foreign.sort()).toEqual([...Object.keys(BUNDLED), ...OPTIONAL].sort())
  })

  it('are for development if something imports them, or a reason is given', () => {
    const unnamed = Object.keys(MANIFEST.devDependencies).filter((name) => !byAll.has(name))
    expect(unnamed.sort()).toEqual(Object.keys(UNNAMED).sort())
  })
})

describe('the reader of modules', () => {
  it('sees every way to export and to import a name', () => {
    const { exports, imports, reexports } = readModule(
      'x.ts',
      `import first, { a as b, type C } from './a.js'
      import * as all from './b.js'
      export { a as z } from './c.js'
      export * from './d.js'
      export * as space from './e.js'
      export const one = 1, { two, three: [four] } = all.some(b)
      export type Five = all.Kind
      export default class {}
      const { six } = await import('./f.js')
      const seven = (await import('./g.js')).seven
      const eight = import('./h.js').then(({ eight }) => eight)
      type Nine = import('./i.js').Nine
      const ten = await import('./j.js')
      await import('./k.js')
      const eleven = { all: 1 }.all`,
    )
    expect(exports).toEqual(['one', 'two', 'four', 'Five', 'default'])
    expect(reexports.map(({ from, name, as }) => `${from} ${name} ${as}`)).toEqual([
      './c.js a z',
      './d.js * *',
      './e.js * space',
    ])
    expect(imports.map(({ from, name }) => `${from} ${name}`)).toEqual([
      ...['./a.js default', './a.js a', './a.js C', './b.js some', './b.js Kind', './f.js six', './g.js seven'],
      ...['./h.js eight', './i.js Nine', './j.js *'],
    ])
  })

  it('sees that all of a module is imported', () => {
    const { imports } = readModule('x.ts', "import * as all from './b.js'\nuse(all)")
    expect(imports).toEqual([{ from: './b.js', name: '*' }])
  })
})
