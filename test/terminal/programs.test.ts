import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { tempDir } from '../support/facade.js'
import { ensureTools } from '../support/machine.js'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from './site.js'

/**
 * Programs that developers run, in each provider: the resulting tree is the same as in a plain copy of the workspace.
 */

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Builds a wheel, which is a zip file. */
const WHEEL = `
import zipfile
with zipfile.ZipFile('dist/tiny-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('tiny/__init__.py', 'answer = 42\\n')
    wheel.writestr('tiny-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
    wheel.writestr('tiny-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('tiny-1.0.dist-info/RECORD', 'tiny/__init__.py,,\\ntiny-1.0.dist-info/METADATA,,\\ntiny-1.0.dist-info/WHEEL,,\\ntiny-1.0.dist-info/RECORD,,\\n')
`

interface Program {
  readonly files: Readonly<Record<string, string>>
  readonly command: string
  /** Proves that it did its work. */
  readonly proof: { readonly path: string; readonly text: string }
  /** Our packages that it runs, linked into the workspace. */
  readonly linked?: readonly string[]
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  'npm install': {
    files: {
      'package.json': '{ "name": "app", "version": "1.0.0", "dependencies": { "part": "file:part-1.0.0.tgz" } }\n',
      'part/package.json': '{ "name": "part", "version": "1.0.0", "bin": "run.js", "files": ["run.js"] }\n',
      'part/run.js': '#!/usr/bin/env node\nconsole.log("part")\n',
    },
    command:
      'npm pack --silent ./part && npm install --offline --no-audit --no-fund && npm exec --offline part > said.txt && mv node_modules installed',
    proof: { path: 'said.txt', text: 'part\n' },
  },
  tsc: {
    files: {
      'tsconfig.json':
        '{ "compilerOptions": { "outDir": "out", "rootDir": "src", "declaration": true, "types": [], "lib": ["es2022"] }, "include": ["src"] }\n',
      'src/one.ts': 'export const one: number = 1\n',
      'src/two.ts': "import { one } from './one'\nexport const two: number = one + 1\n",
    },
    linked: ['typescript'],
    command: 'node node_modules/typescript/bin/tsc -p .',
    proof: { path: 'out/two.d.ts', text: 'export declare const two: number;\n' },
  },
  'vitest run': {
    files: {
      'package.json': '{ "type": "module" }\n',
      'vitest.config.js': "export default { test: { pool: 'threads', cache: false } }\n",
      'one.test.js':
        "import { writeFileSync } from 'node:fs'\nimport { expect, it } from 'vitest'\nit('adds', () => {\n  expect(1 + 1).toBe(2)\n  writeFileSync('seen.txt', 'two')\n})\n",
    },
    linked: ['vitest'],
    command: 'node node_modules/vitest/vitest.mjs run --reporter=dot',
    proof: { path: 'seen.txt', text: 'two' },
  },
  make: {
    files: {
      Makefile:
        'all: out/one.txt out/two.txt\n\nout/%.txt: %.in\n\t@mkdir -p out\n\tsed s/a/A/ $< > $@\n\n.PHONY: all\n',
      'one.in': 'a one\n',
      'two.in': 'a two\n',
    },
    command: 'make -j2 && make',
    proof: { path: 'out/two.txt', text: 'A two\n' },
  },
  'pip install': {
    files: { 'make-wheel.py': WHEEL, 'dist/.gitignore': '' },
    command:
      'python=$(python3 -c "import sys; print(sys.executable)") && $python make-wheel.py && $python -m pip install -q --no-index --no-compile --no-cache-dir --disable-pip-version-check --root-user-action=ignore --target lib dist/tiny-1.0-py3-none-any.whl && PYTHONPATH=lib $python -B -c "import tiny; print(tiny.answer)" > said.txt',
    proof: { path: 'said.txt', text: '42\n' },
  },
}

/** Replaces the parts that differ between runs: times, and the path of the workspace. */
const VOLATILE = /(^|\/)(\.package-lock\.json|direct_url\.json|RECORD)$/

function readTree(node: typeof fs, root: string, dir = ''): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of node.readdirSync(`${root}/${dir}`).sort()) {
    const at = dir === '' ? name : `${dir}/${name}`
    if (['.orchestration', 'node_modules'].includes(at)) continue
    const stats = node.lstatSync(`${root}/${at}`)
    const mode = (stats.mode & 0o777).toString(8)
    if (stats.isSymbolicLink()) files[at] = `link ${node.readlinkSync(`${root}/${at}`)}`
    else if (stats.isDirectory()) Object.assign(files, { [at]: `dir ${mode}` }, readTree(node, root, at))
    else
      files[at] =
        `file ${mode} ${/\.(whl|tgz)$/.test(at) || VOLATILE.test(at) ? '' : node.readFileSync(`${root}/${at}`, 'utf8')}`
  }
  return files
}

function link(root: string, packages: readonly string[]): void {
  if (packages.length > 0) fs.mkdirSync(`${root}/node_modules`)
  for (const name of packages) fs.symlinkSync(`${MODULES}/${name}`, `${root}/node_modules/${name}`)
}

beforeAll(() => ensureTools('make', 'python3', 'pip3'))

/** The trees that the programs produce in a plain copy of their files. */
const plainTrees = new Map<string, Record<string, string>>()

function plainTree(name: string, { files, command, linked = [] }: Program): Record<string, string> {
  const known = plainTrees.get(name)
  if (known !== undefined) return known
  const [plain, cache] = [tempDir(), tempDir()]
  try {
    for (const [path, content] of Object.entries(files)) {
      fs.mkdirSync(dirname(`${plain.path}/${path}`), { recursive: true })
      fs.writeFileSync(`${plain.path}/${path}`, content)
    }
    link(plain.path, linked)
    const env = { ...process.env, npm_config_cache: cache.path }
    const { status, stderr } = spawnSync('/bin/sh', ['-c', command], { cwd: plain.path, env, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    const tree = readTree(fs, plain.path)
    plainTrees.set(name, tree)
    return tree
  } finally {
    plain.dispose()
    cache.dispose()
  }
}

describe.each(PROVIDERS)('in %s', (provider) => {
  withProvider(provider)

  it.each(Object.entries(PROGRAMS))('%s has the same result as in a plain directory', async (name, program) => {
    const { files, command, proof, linked = [] } = program
    const { session, root } = await site(files)
    link(root, linked)
    const ran = await session.exec(command)
    expect([ran.exitCode, ran.stderr, ran.refused]).toEqual([0, '', []])
    expect(session.fs.readFileSync(`${root}/${proof.path}`, 'utf8')).toBe(proof.text)
    expect(readTree(session.fs, root)).toEqual(plainTree(name, program))
    // A later command sees it, and changes nothing.
    const later = await session.exec(`cat ${proof.path}`)
    expect([later.stdout, later.summary.split('\n')[0]]).toEqual([proof.text, 'Nothing changed.'])
  })
})
