// What npm would publish, looked at: publint, are-the-types-wrong, what is in it, and how large it may be. After npm run build.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import ts from 'typescript'

/** Bytes. Each is some way above what there is, so that what passes it was noticed by nobody. */
const LIMITS = { packed: 1_200_000, unpacked: 4_500_000, coldStart: 400_000 }
const CONTENTS = /^(dist\/.*\.(js|d\.ts)|docs\/.*\.(md|svg)|[A-Z]+\.md|LICENSE|package\.json)$/
/** CommonJS gets the ES modules by `require`, as of Node 20.19; Node 10 had no `exports` to resolve by. */
const MEANT = { kinds: ['CJSResolvesToESM'], resolutions: ['node10'] }

const root = fileURLToPath(new URL('..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'escrowfs-package-'))
try {
  const { tarball, files } = pack(place)
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const problems = [
    ...(await lint(manifest, tarball)),
    ...(await typesOf(tarball)),
    ...files.flatMap(({ path }) => (CONTENTS.test(path) ? [] : [`${path} does not belong into the package.`])),
    ...sizes(manifest, tarball, files),
  ]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
} finally {
  rmSync(place, { recursive: true, force: true })
}

/** Without scripts: `prepare` would build anew. */
function pack(to) {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', to]
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
  const said = JSON.parse(stdout)
  const [{ filename, files }] = Array.isArray(said) ? said : Object.values(said)
  return { tarball: readFileSync(join(to, filename)), files }
}

async function lint(manifest, tarball) {
  const bytes = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength)
  const { messages } = await publint({ pack: { tarball: bytes }, strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, manifest)}`)
}

async function typesOf(tarball) {
  const result = await checkPackage(createPackageFromTarballData(tarball))
  if (!result.types) return ['are-the-types-wrong: there are no types.']
  const wrong = result.problems.filter(
    ({ kind, resolutionKind }) => !MEANT.kinds.includes(kind) && !MEANT.resolutions.includes(resolutionKind),
  )
  return wrong.map(
    ({ kind, entrypoint, resolutionKind }) =>
      `are-the-types-wrong: ${kind} ${entrypoint ?? ''} ${resolutionKind ?? ''}`,
  )
}

function sizes({ bin }, tarball, files) {
  const found = {
    packed: tarball.length,
    unpacked: files.reduce((sum, { size }) => sum + size, 0),
    coldStart: Math.max(...Object.values(bin).map((file) => loadedBytes(join(root, file)))),
  }
  for (const [name, bytes] of Object.entries(found)) console.log(`${name}: ${bytes} bytes, at most ${LIMITS[name]}`)
  return Object.entries(found).flatMap(([name, bytes]) =>
    bytes > LIMITS[name]
      ? [`${name}: ${bytes} bytes are more than ${LIMITS[name]}. Find out what came in, or raise the limit.`]
      : [],
  )
}

/** Of the package's own modules that a command loads before it does anything. */
function loadedBytes(entry) {
  const seen = new Map()
  const visit = (file) => {
    if (seen.has(file)) return
    const text = readFileSync(file, 'utf8')
    seen.set(file, Buffer.byteLength(text))
    for (const name of staticImports(file, text)) if (name.startsWith('.')) visit(resolve(dirname(file), name))
  }
  visit(entry)
  return [...seen.values()].reduce((sum, bytes) => sum + bytes, 0)
}

function staticImports(file, text) {
  return ts
    .createSourceFile(file, text, ts.ScriptTarget.Latest)
    .statements.flatMap((statement) =>
      (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) && statement.moduleSpecifier
        ? [statement.moduleSpecifier.text]
        : [],
    )
}
