import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isBuilt } from '../examples/demo/commands.js'
import { compareApi } from '../scripts/api-report.js'
import { blocksOf } from './docs/readme-blocks.js'
import { npmEnvironment } from './support/certificates.js'
import { WITHOUT_REGISTER_WARNING } from './support/node-warnings.js'

/** The package as npm packs and installs it, in a project without other files. */

const house = fileURLToPath(new URL('../', import.meta.url))
const { exports: entries } = JSON.parse(fs.readFileSync(`${house}package.json`, 'utf8')) as {
  exports: Record<string, { types?: string }>
}
const names = Object.keys(entries)
  .filter((name) => entries[name]?.types)
  .map((name) => name.replace('.', 'escrowfs'))

let project = ''
beforeAll(() => {
  if (!isBuilt(house)) run('npm', ['run', 'build'], house)
  project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'escrowfs-package-')))
  // Its scripts would build again.
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], house)
  fs.writeFileSync(`${project}/package.json`, '{"private":true}')
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  run('npm', ['install', ...quiet, `./${fs.readdirSync(project).find((name) => name.endsWith('.tgz'))}`])
})
afterAll(() => fs.rmSync(project, { recursive: true, force: true }))

/** The Node that runs the tests runs the package too. */
function run(program: string, args: readonly string[], cwd = project): string {
  const PATH = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`
  const env = { ...npmEnvironment(), PATH, NO_COLOR: '1' }
  const shell = process.platform === 'win32'
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8', shell })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status}\n${stdout}${stderr}`)
  return stdout
}

describe('the package, installed', () => {
  it('can be imported', () => {
    const script = `for (const name of ${JSON.stringify(names)}) console.log(name, Object.keys(await import(name)).length > 0)`
    expect(run(process.execPath, ['--input-type=module', '-e', script])).toBe(
      names.map((name) => `${name} true\n`).join(''),
    )
  })

  it('can be required by CommonJS, with the same exports: no module of it awaits while it loads', () => {
    const script = `for (const name of ${JSON.stringify(names)}) {
      const required = require(name)
      import(name).then((imported) => console.log(name, Object.keys(imported).every((each) => imported[each] === required[each])))
    }`
    const lines = run(process.execPath, ['-e', script]).trim().split('\n').sort()
    expect(lines).toEqual(names.map((name) => `${name} true`).sort())
  })

  it('has the shell for commands of Roo', () => {
    const script = `import { rooShell } from 'escrowfs/roo'
      const settings = new Map()
      const provider = {
        contextProxy: { getValue: (name) => settings.get(name), setValue: async (name, value) => void settings.set(name, value) },
        getState: async () => Object.fromEntries(settings),
        setWebviewMessageListener: ({ onDidReceiveMessage }) => onDidReceiveMessage(async ({ updatedSettings }) => {
          for (const [name, value] of Object.entries(updatedSettings)) settings.set(name, value)
        }),
      }
      console.log((await rooShell({ provider })).path)`
    const file = run(process.execPath, ['--input-type=module', '-e', script]).trim()
    expect(file).toBe(`${project}/node_modules/escrowfs/dist/src/cli/sh.js`)
    expect(fs.statSync(file).mode & 0o111).toBe(0o111)
  })

  it.each([
    ['NodeNext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
    ['a bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
  ])('has types for %s, to the last file that it declares', (_, module, moduleResolution) => {
    const types = `${project}/node_modules/@types`
    fs.mkdirSync(types, { recursive: true })
    if (!fs.existsSync(`${types}/node`)) fs.symlinkSync(`${house}node_modules/@types/node`, `${types}/node`, 'junction')
    const imports = names.map((name, n) => `import * as entry${n} from '${name}'`)
    const use = `import { denialOf, openWorkspace, type Session } from 'escrowfs'
export async function agent(session: Session): Promise<number> {
  // @ts-expect-error A session has no review: an agent cannot approve.
  session.approve
  return session.fs.writeFileSync('a', 'b') ?? (await openWorkspace('.')).root.length
}
export const reason: string | undefined = denialOf(new Error())?.reason
export const all = [${names.map((_, n) => `entry${n}`).join(', ')}]`
    fs.writeFileSync(`${project}/use.mts`, `${imports.join('\n')}\n${use}\n`)
    expect(complaints(`${project}/use.mts`, { module, moduleResolution })).toEqual([])
  })

  it('runs an agent, a review and a commit', () => {
    const escrow = (...args: string[]) => run(`${project}/node_modules/.bin/escrow`, args)
    fs.mkdirSync(`${project}/src`)
    fs.writeFileSync(`${project}/src/price.js`, 'export const price = (net) => net\n')
    expect(run('npx', ['escrow', 'init', '--approval-by', 'any'])).toContain(
      'created  .orchestration/active_intents.yaml',
    )
    escrow('intents', 'add', 'Show prices with tax', '--scope', 'src/**', '!src/legacy/**')
    const agent = blocksOf(fs.readFileSync(`${house}docs/quick-start.md`, 'utf8')).find(({ text }) =>
      text.startsWith('// agent.mjs\n'),
    )
    fs.writeFileSync(`${project}/agent.mjs`, agent?.text ?? '')
    expect(run(process.execPath, ['agent.mjs'])).toContain('EACCES scope_violation src/legacy/old.js')
    expect(fs.readFileSync(`${project}/src/price.js`, 'utf8')).toBe('export const price = (net) => net\n')
    expect(escrow('diff', 'agent-1')).toContain('2 changes.')
    escrow('approve', 'agent-1', '--by', 'Ada <ada@example.org>')
    expect(escrow('commit', 'agent-1')).toContain('2 changes committed')
    expect(fs.readFileSync(`${project}/src/price.js`, 'utf8')).toContain('Math.round')
    expect(escrow('verify')).toContain('The ledger is intact')
  })
})

/**
 * The compiler's errors in one file and in each of our declarations that it reaches, without those of other packages.
 */
function complaints(file: string, more: ts.CompilerOptions): string[] {
  const options = { ...more, noEmit: true, strict: true, target: ts.ScriptTarget.ES2023, lib: ['lib.es2023.d.ts'] }
  const program = ts.createProgram([file], {
    ...options,
    types: ['node'],
    typeRoots: [`${project}/node_modules/@types`],
  })
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName === file || fileName.includes('/node_modules/escrowfs/'))
  expect(ours.length).toBeGreaterThan(names.length)
  return [...program.getOptionsDiagnostics(), ...ours.flatMap((each) => program.getSemanticDiagnostics(each))].map(
    ({ messageText, file: where }) => `${where?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  )
}

describe('the public surface', () => {
  it('matches docs/api: npm run api updates it', () => {
    const env = { ...process.env, ...WITHOUT_REGISTER_WARNING }
    const checked = spawnSync('npm', ['run', '--silent', 'api', '--', '--check'], { cwd: house, env, encoding: 'utf8' })
    expect(checked).toMatchObject({ stderr: '', status: 0 })
    const files = names.map((name) => `${name.replace('/', '.')}.api.md`)
    expect(fs.readdirSync(`${house}docs/api`).sort()).toEqual(files.sort())
  })

  it('is compared by name, by each field of a type behind an export, and by entry', () => {
    const place = fs.mkdtempSync(path.join(os.tmpdir(), 'escrowfs-api-'))
    onTestFinished(() => fs.rmSync(place, { recursive: true }))
    const writePackage = (manifest: object, one: string, two: string) => {
      fs.writeFileSync(`${place}/package.json`, JSON.stringify({ name: 'small', exports: manifest }))
      fs.writeFileSync(`${place}/one.d.ts`, one)
      fs.writeFileSync(`${place}/two.d.ts`, two)
      return compareApi(place)
    }
    const manifest = { '.': { types: './one.d.ts' } }
    const one = `import type { Behind } from './two.js'\nexport declare function take(it: Behind): void\n`
    const two = 'export interface Behind { readonly a: string }\n'
    const { reports } = writePackage(manifest, one, two)
    fs.mkdirSync(`${place}/docs/api`, { recursive: true })
    for (const [name, text] of reports) fs.writeFileSync(`${place}/docs/api/${name}`, text)
    const differencesOf = (...laid: Parameters<typeof writePackage>) => writePackage(...laid).differences.join('\n')
    expect(
      differencesOf(manifest, `// A comment is not a change.\n${one}`, `export declare const unseen = 1\n${two}`),
    ).toBe('')
    expect(differencesOf(manifest, one, two.replace('a: string', 'a?: string'))).toContain('+     readonly a?: string;')
    expect(differencesOf(manifest, one.replace('take', 'give'), two)).toContain('- export declare function take')
    expect(differencesOf({ ...manifest, './two': { types: './two.d.ts' } }, one, two)).toContain(
      'docs/api/small.two.api.md',
    )
  })
})
