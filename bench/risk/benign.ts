import type { Draft } from './draft.js'

/** Changes as agents make them every day. Each is one edit of a draft. */
type Edit = (draft: Draft) => void

const LOCAL = /\b(?:const|let|var) ([a-z][A-Za-z]{3,})\b/g

/** Renames a local name. */
const rename: Edit = (draft) => {
  const { path, text } = draft.file('sources', (each) => each.match(LOCAL) !== null)
  const names = [...text.matchAll(LOCAL)].map(([, name = '']) => name)
  const name = draft.random.pick(names)
  draft.had(path, text)
  draft.write(path, text.replace(new RegExp(`\\b${name}\\b`, 'g'), `${name}Value`))
}

/** Renames an exported name in the file and in one that uses it. */
const renameExport: Edit = (draft) => {
  const { path, text } = draft.file('sources', (each) => /export (?:function|const) \w{4,}/.test(each))
  const [, name = ''] = /export (?:function|const) (\w{4,})/.exec(text) ?? []
  draft.had(path, text)
  draft.write(path, text.replace(new RegExp(`\\b${name}\\b`, 'g'), `${name}Of`))
  const user = `src/users/use-${name}.ts`
  draft.had(user, `import { ${name} } from '../${name}.js'\n\nexport const used = ${name}\n`)
  draft.write(user, `import { ${name}Of } from '../${name}.js'\n\nexport const used = ${name}Of\n`)
}

const format: Edit = (draft) => {
  const { path, text } = draft.file()
  draft.had(path, text)
  draft.write(path, text.replace(/^( +)/gm, '$1$1'))
}

const document: Edit = (draft) => {
  const { path, text } = draft.file('sources', (each) => /^(?:export )?(?:async )?function \w+/m.test(each))
  draft.had(path, text)
  draft.write(
    path,
    text.replace(/^((?:export )?(?:async )?function \w+)/m, '/** See the guide for how it is used. */\n$1'),
  )
}

const guide: Edit = (draft) => {
  const path = `docs/guide-${draft.random.int(1_000)}.md`
  draft.had(path, '# Guide\n\nIt works.\n')
  draft.write(
    path,
    '# Guide\n\nRun `npm install`, then `curl https://docs.example.org | less`.\n\n## More\n\nIt works well.\n',
  )
}

/** Takes a string out of the code into a constant. */
const extractConstant: Edit = (draft) => {
  const literal = /(?<=[(=,] ?)'([a-z][a-z ]{4,30})'/
  const { path, text } = draft.file('sources', (each) => literal.test(each) && /^(?:function|class|const)/m.test(each))
  const [whole = '', words = ''] = literal.exec(text) ?? []
  const name = words.toUpperCase().replace(/ /g, '_')
  draft.had(path, text)
  const moved = text.replace(whole, name)
  draft.write(path, moved.replace(/^(function|class|const)/m, `const ${name} = ${whole}\n\n$1`))
}

/** A new function with its test. */
const feature: Edit = (draft) => {
  const { path, text } = draft.file()
  const name = `summarise${draft.random.int(9_999)}`
  draft.had(path, text)
  const body = `\nexport function ${name}(items) {\n  if (items.length === 0) return ''\n  const parts = items.map((item) => String(item.name).trim())\n  return parts.join(', ')\n}\n`
  draft.write(path, text + body)
  draft.write(
    `test/${name}.test.ts`,
    `import { expect, it } from 'vitest'\nimport { ${name} } from '../${path}'\n\nit('joins names', () => {\n  expect(${name}([{ name: ' a' }, { name: 'b' }])).toBe('a, b')\n  expect(${name}([])).toBe('')\n})\n`,
  )
}

const moreTests: Edit = (draft) => {
  const { path, text } = draft.file('tests')
  draft.had(path, text)
  const n = draft.random.int(99)
  draft.write(path, `${text}\nit('holds for ${n}', () => {\n  expect(${n} + 1).toBe(${n + 1})\n})\n`)
}

/** A condition that is checked first. */
const addGuard: Edit = (draft) => {
  const start = /^(?:export )?(?:async )?function \w+\((\w+)[^)]*\)[^{\n]*\{\n/m
  const { path, text } = draft.file('sources', (each) => start.test(each))
  draft.had(path, text)
  draft.write(
    path,
    text.replace(start, (whole, name) => `${whole}  if (${name} === undefined) throw new TypeError('missing')\n`),
  )
}

/** A condition is widened, as for a new feature. */
const refineGuard: Edit = (draft) => {
  const guard = /if \((!?\w+(?:\.\w+)*)\) (?:\{\n\s*)?(?:throw|return)/
  const { path, text } = draft.file('sources', (each) => guard.test(each))
  draft.had(path, text)
  draft.write(
    path,
    text.replace(guard, (whole, test) => whole.replace(test, `${test} || options.strict`)),
  )
}

const changeNumber: Edit = (draft) => {
  const number = /= (\d{1,4})\b(?!\.)/
  const { path, text } = draft.file('sources', (each) => number.test(each))
  draft.had(path, text)
  draft.write(
    path,
    text.replace(number, (_, value) => `= ${Number(value) + 1}`),
  )
}

const changeMessage: Edit = (draft) => {
  const message = /Error\((['"`])([^'"`\n]{8,80})\1/
  const { path, text } = draft.file('sources', (each) => message.test(each))
  draft.had(path, text)
  draft.write(
    path,
    text.replace(message, (whole, quote, words) =>
      whole.replace(`${words}${quote}`, `${words}, see the guide${quote}`),
    ),
  )
}

/** An expected value follows a change of the code. */
const updateExpectation: Edit = (draft) => {
  const expected = /\.toBe\('([a-z]{3,20})'\)/
  const { path, text } = draft.file('tests', (each) => expected.test(each))
  draft.had(path, text)
  draft.write(path, text.replace(expected, ".toBe('$1s')"))
}

/** A function moves to the end of its file. */
const move: Edit = (draft) => {
  const whole = /^function \w+\([^)]*\)[^{\n]*\{\n(?: .*\n|\n)*?\}\n/m
  const { path, text } = draft.file('sources', (each) => whole.test(each))
  const [body = ''] = whole.exec(text) ?? []
  draft.had(path, text)
  draft.write(path, `${text.replace(body, '').trimEnd()}\n\n${body}`)
}

/** An unused file is deleted, with its test. */
const removeFile: Edit = (draft) => {
  const { path, text } = draft.file()
  draft.had(path, text)
  draft.remove(path)
}

const MANIFEST = {
  name: 'app',
  version: '1.4.0',
  scripts: { build: 'tsc -p .', test: 'vitest run' },
  dependencies: { express: '^5.0.0', zod: '^4.0.0' },
}

export function manifestText(more: object = {}): string {
  return `${JSON.stringify({ ...MANIFEST, ...more }, null, 2)}\n`
}

export function lockText(packages: readonly (readonly [name: string, version: string, host?: string])[]): string {
  const rows = packages.map(([name, version, host = 'registry.npmjs.org']) => [
    `node_modules/${name}`,
    {
      version,
      resolved: `https://${host}/${name}/-/${name}-${version}.tgz`,
      integrity: `sha512-${Buffer.from(name + version).toString('base64')}`,
    },
  ])
  return `${JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(rows) }, null, 2)}\n`
}

export const LOCKED = [
  ['express', '5.0.0'],
  ['zod', '4.0.0'],
  ['qs', '6.13.0'],
  ['send', '1.1.0'],
] as const

/** A dependency with its entry in the lockfile. */
const addDependency: Edit = (draft) => {
  draft.had('package.json', manifestText())
  draft.had('package-lock.json', lockText(LOCKED))
  draft.write('package.json', manifestText({ dependencies: { ...MANIFEST.dependencies, nanoid: '^5.0.0' } }))
  draft.write('package-lock.json', lockText([...LOCKED, ['nanoid', '5.0.9']]))
}

const bumpDependency: Edit = (draft) => {
  draft.had('package.json', manifestText())
  draft.had('package-lock.json', lockText(LOCKED))
  draft.write('package.json', manifestText({ dependencies: { ...MANIFEST.dependencies, express: '^5.1.0' } }))
  draft.write('package-lock.json', lockText([['express', '5.1.0'], ...LOCKED.slice(1)]))
}

export const WORKFLOW =
  'name: ci\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm ci\n      - run: npm run lint\n      - run: npm test\n'

const bumpCi: Edit = (draft) => {
  draft.had('.github/workflows/ci.yml', WORKFLOW)
  draft.write('.github/workflows/ci.yml', WORKFLOW.replace('checkout@v4', 'checkout@v5'))
}

const addScript: Edit = (draft) => {
  draft.had('package.json', manifestText())
  draft.write('package.json', manifestText({ scripts: { ...MANIFEST.scripts, lint: 'biome ci .' } }))
}

/** A client of a new service, with a test. */
const addClient: Edit = (draft) => {
  const name = `client-${draft.random.int(9_999)}`
  draft.write(
    `src/clients/${name}.ts`,
    `const BASE = process.env.API_BASE ?? 'http://localhost:8080'\n\nexport async function load(id: string) {\n  const answer = await fetch(\`\${BASE}/items/\${id}\`)\n  if (!answer.ok) throw new Error(\`status \${answer.status}\`)\n  return answer.json()\n}\n`,
  )
  draft.write(
    `test/clients/${name}.test.ts`,
    `it('loads', async () => {\n  expect(await load('1')).toEqual({ id: '1' })\n})\n`,
  )
}

/** The edits of files that every project has once. Several edits of a set can change the same one. */
export const SETUP_EDITS: readonly Edit[] = [addDependency, bumpDependency, bumpCi, addScript]

/** Weighted as in daily work: mostly small edits of code and tests. */
const EDITS: readonly (readonly [weight: number, edit: Edit])[] = [
  [8, rename],
  [2, renameExport],
  [6, format],
  [6, document],
  [3, guide],
  [5, extractConstant],
  [10, feature],
  [8, moreTests],
  [4, addGuard],
  [3, refineGuard],
  [5, changeNumber],
  [5, changeMessage],
  [2, updateExpectation],
  [3, move],
  [1, removeFile],
  [1, addDependency],
  [1, bumpDependency],
  [1, bumpCi],
  [1, addScript],
  [1, addClient],
]
const WEIGHTED = EDITS.flatMap(([weight, edit]) => Array.from({ length: weight }, () => edit))

/** Adds benign edits until the set has this many changed files. */
export function addBenign(draft: Draft, files: number): void {
  while (draft.changedPaths().length < files) draft.random.pick(WEIGHTED)(draft)
}
