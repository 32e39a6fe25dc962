// Checks the package that npm would publish, after `npm run build`: publint, are-the-types-wrong, contents and size.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** Limits in bytes, some way above the current sizes. Only an unnoticed increase exceeds them. */
const LIMITS = { packed: 2_345_000, unpacked: 7_835_000, coldStart: 767_000 }
const CONTENTS =
  /^(dist\/.*\.(js|d\.ts)|dist\/web\/.*\.(html|css|svg)|dist\/src\/cli\/(LICENSES\.txt|package\.json)|docs\/.*\.(md|svg)|examples\/(github-action|gitlab)\/.*\.(md|yml)|examples\/hub\/.*\.(yaml|service)|[A-Z]+\.md|LICENSE|package\.json)$/
/** Accepted problems: CommonJS can `require` ES modules as of Node 20.19, and Node 10 does not know `exports`. */
const ACCEPTED = { kinds: ['CJSResolvesToESM'], resolutions: ['node10'] }

/** Counts the bytes of the modules that a CommonJS program loads, and prints the sum when it exits. */
const COUNT_BYTES = `
const Module = require('node:module')
const { statSync, writeSync } = require('node:fs')
const load = Module._extensions['.js']
let bytes = 0
Module._extensions['.js'] = (module, file) => {
  bytes += statSync(file).size
  return load(module, file)
}
process.on('exit', () => writeSync(2, 'LOADED ' + bytes))
const [main, ...args] = process.argv.slice(1)
process.argv = [process.argv[0], main, ...args]
require(main)`

const root = fileURLToPath(new URL('..', import.meta.url))
const place = realpathSync(mkdtempSync(join(tmpdir(), 'escrowfs-package-')))
try {
  const { tarball, files } = pack(place)
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const problems = [
    ...(await lint(manifest, tarball)),
    ...(await typesOf(tarball)),
    ...files.flatMap(({ path }) => (CONTENTS.test(path) ? [] : [`${path} does not belong in the package.`])),
    ...sizes(manifest, tarball, files),
  ]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
} finally {
  rmSync(place, { recursive: true, force: true })
}

/** Packs without scripts, because `prepare` would build again. */
function pack(to) {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', to]
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
  const packed = JSON.parse(stdout)
  const [{ filename, files }] = Array.isArray(packed) ? packed : Object.values(packed)
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
    ({ kind, resolutionKind }) => !ACCEPTED.kinds.includes(kind) && !ACCEPTED.resolutions.includes(resolutionKind),
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
    coldStart: loadedBytes(join(root, bin.escrow), place),
  }
  for (const [name, bytes] of Object.entries(found)) console.log(`${name}: ${bytes} bytes, at most ${LIMITS[name]}`)
  return Object.entries(found).flatMap(([name, bytes]) =>
    bytes > LIMITS[name]
      ? [`${name}: ${bytes} bytes are more than ${LIMITS[name]}. Find what was added, or raise the limit.`]
      : [],
  )
}

/** The bytes of our modules that a client's hook loads for one answer, because each tool call waits for them. */
function loadedBytes(main, place) {
  const [home, workspace] = ['home', 'workspace'].map((name) => join(place, name))
  for (const dir of [home, workspace]) mkdirSync(dir)
  // The state of the person who runs this stays as it is, and does not change the result.
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: undefined }
  const start = (input, ...args) =>
    spawnSync(process.execPath, ['-e', COUNT_BYTES, main, ...args], { cwd: workspace, env, input, encoding: 'utf8' })
  start('', 'init', '--yes')
  const event = { session_id: 's', cwd: workspace, hook_event_name: 'PreToolUse', tool_name: 'Write' }
  const { stdout, stderr } = start(
    JSON.stringify({ ...event, tool_input: { file_path: join(workspace, 'a.ts'), content: '' } }),
    ...['hook', 'claude'],
  )
  const bytes = Number(/LOADED (\d+)$/.exec(stderr)?.[1])
  if (!stdout.includes('"deny"') || !(bytes > 0)) throw new Error(`The hook answered nothing: ${stdout}${stderr}`)
  return bytes
}
