import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { CACHE, installOnce } from '../support/npm-install.js'

/** The tested release of code-server, and the Node that it needs. */
const CODE_SERVER = '4.139.1'
const NODE = '24.21.0'
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`

const DIR = join(CACHE, 'editor', `code-server-${CODE_SERVER}`)
const NODE_DIR = join(DIR, 'node_modules', NODE_PACKAGE)
const SERVER = join('node_modules', 'code-server', 'out', 'node', 'entry.js')
const VSCODE = join(DIR, 'node_modules', 'code-server', 'lib', 'vscode')
/** C++ modules that the server needs. The others are for Windows, remote logins or its own extensions. */
const NATIVE = ['@vscode/spdlog', '@vscode/native-watchdog']
const BUILT = join(DIR, 'native-modules-are-built')

/** The command that starts code-server: the program and its first argument. */
export interface CodeServer {
  readonly node: string
  readonly entry: string
}

/**
 * code-server with its own Node, from the npm registry. Its own install script builds every native module, among them ones
 * that need libraries of a desktop; here the two it cannot do without are built, against the headers beside that Node.
 * @throws Error with the command that failed
 */
export function installCodeServer(): CodeServer {
  installOnce(DIR, [`code-server@${CODE_SERVER}`, `${NODE_PACKAGE}@${NODE}`], SERVER, ['--ignore-scripts'])
  if (!existsSync(BUILT)) {
    npm(['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
    npm(['rebuild', '--loglevel=error', ...NATIVE])
    writeFileSync(BUILT, `${NATIVE.join('\n')}\n`)
  }
  return { node: join(NODE_DIR, 'bin', 'node'), entry: join(DIR, SERVER) }
}

function npm(args: readonly string[]): void {
  const env = {
    ...process.env,
    PATH: [join(NODE_DIR, 'bin'), process.env.PATH].join(delimiter),
    npm_config_nodedir: NODE_DIR,
  }
  const { status, stderr } = spawnSync('npm', [...args], { cwd: VSCODE, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed in ${VSCODE}:\n${stderr}`)
}

export function setup(): void {
  installCodeServer()
}
