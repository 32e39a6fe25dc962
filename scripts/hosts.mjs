// Runs the suites about node:fs on the other supported Node releases: npm run test:hosts [-- RELEASE...]
// The releases are in .cache/. As dependencies they would replace `node` in every npm script.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const RELEASES = ['22', '24', '26']
const SUITES = ['test/fs', 'test/overlay', 'test/package.test.ts']

function nodeOf(release) {
  const dir = join(ROOT, '.cache', 'hosts', release)
  const node = join(dir, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(node)) return node
  mkdirSync(dir, { recursive: true })
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const shell = process.platform === 'win32'
  const { status } = spawnSync('npm', ['install', '--prefix', dir, ...quiet, `node@${release}`], {
    stdio: 'inherit',
    shell,
  })
  if (status === 0 && existsSync(node)) return node
  throw new Error(`npm did not install node@${release}. Remove ${dir} and run this again with access to the registry.`)
}

function passes(release) {
  const node = nodeOf(release)
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  console.log(`\n${SUITES.join(' and ')} on Node ${stdout.trim()}`)
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  return spawnSync(node, [vitest, 'run', ...SUITES], { cwd: ROOT, stdio: 'inherit' }).status === 0
}

const named = process.argv.slice(2)
const failed = (named.length > 0 ? named : RELEASES).filter((release) => !passes(release))
if (failed.length > 0) {
  console.error(`\nThe suites fail on Node ${failed.join(' and ')}.`)
  process.exit(1)
}
