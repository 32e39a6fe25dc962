import fs from 'node:fs'
import { dirname } from 'node:path'
import lockfile from 'proper-lockfile'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { createBareFacade, tempDir, treeOf } from '../support/facade.js'

/** Libraries that work through a given fs: on a plain directory, and through the facade over a copy of it. */

type Use = (api: typeof fs, root: string) => unknown

const SOURCES = {
  'src/a.ts': "import { b } from './b.js'\nexport const a: string = b(1)\n",
  'src/b.ts': 'export const b = (n: number) => String(n)\n',
  'src/deep/c.ts': "export type { X } from '../missing.js'\nexport enum Color { Red, Green }\n",
}

const LIBRARIES: Record<string, Use> = {
  'TypeScript’s compiler host': (api, root) => {
    const options: ts.CompilerOptions = {
      ...{ outDir: `${root}/out`, rootDir: `${root}/src`, declaration: true, noLib: true, types: [] },
      ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, sourceMap: true },
    }
    const host = ts.createCompilerHost(options)
    const isDirectory = (path: string) => api.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
    const ours: ts.CompilerHost = {
      ...host,
      readFile: (path) => (api.existsSync(path) ? api.readFileSync(path, 'utf8') : undefined),
      fileExists: (path) => api.statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
      directoryExists: isDirectory,
      getDirectories: (path) =>
        isDirectory(path)
          ? api.readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
          : [],
      realpath: (path) => api.realpathSync(path),
      getCurrentDirectory: () => root,
      getSourceFile: (path, how) =>
        api.existsSync(path) ? ts.createSourceFile(path, api.readFileSync(path, 'utf8'), how) : undefined,
      writeFile(path, text) {
        api.mkdirSync(dirname(path), { recursive: true })
        api.writeFileSync(path, text)
      },
    }
    const names = api.readdirSync(`${root}/src`, { recursive: true }).map(String)
    const sources = names.filter((name) => name.endsWith('.ts')).sort()
    const program = ts.createProgram(
      sources.map((name) => `${root}/src/${name}`),
      options,
      ours,
    )
    const { emitSkipped, diagnostics } = program.emit()
    const all = [...ts.getPreEmitDiagnostics(program), ...diagnostics]
    return [emitSkipped, all.map(({ code, file }) => [code, file?.fileName])]
  },
  'proper-lockfile': async (api, root) => {
    const results: unknown[] = []
    const options = { fs: api, realpath: false, lockfilePath: `${root}/a.lock` }
    const release = await lockfile.lock(`${root}/src/a.ts`, options)
    results.push(await lockfile.check(`${root}/src/a.ts`, options), api.existsSync(`${root}/a.lock`))
    results.push(await lockfile.lock(`${root}/src/a.ts`, options).catch(({ code }) => code))
    await release()
    results.push(await lockfile.check(`${root}/src/a.ts`, options), api.existsSync(`${root}/a.lock`))
    return results
  },
}

function seed(root: string): void {
  for (const [name, text] of Object.entries(SOURCES)) {
    fs.mkdirSync(dirname(`${root}/${name}`), { recursive: true })
    fs.writeFileSync(`${root}/${name}`, text)
  }
}

describe('libraries behave the same with the facade as with node:fs', () => {
  it.each(Object.entries(LIBRARIES))('%s', async (_, use) => {
    const outer = tempDir()
    try {
      const [real, copy] = [`${outer.path}/real`, `${outer.path}/copy`]
      seed(real)
      seed(copy)
      const before = treeOf(fs, copy)
      const facade = createBareFacade(copy)
      const wanted = JSON.stringify(await use(fs, real)).replaceAll(real, '<root>')
      expect(JSON.stringify(await use(facade.fs, copy)).replaceAll(copy, '<root>')).toBe(wanted)
      expect(treeOf(facade.fs, copy)).toEqual(treeOf(fs, real))
      expect(treeOf(fs, copy)).toEqual(before)
    } finally {
      outer.dispose()
    }
  })
})
