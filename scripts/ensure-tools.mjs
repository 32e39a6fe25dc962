// Checks for system programs: node scripts/ensure-tools.mjs git bwrap chromium. On Debian as root it installs missing ones;
// elsewhere it prints how to install them.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The packages of programs and files on Debian and Ubuntu, if the name differs. */
const PACKAGES = {
  bwrap: 'bubblewrap',
  pgrep: 'procps',
  pip3: 'python3-pip',
  prlimit: 'util-linux',
  'ssh-agent': 'openssh-client',
  'ssh-keygen': 'openssh-client',
  '/usr/include/asm-generic/unistd.h': 'linux-libc-dev',
  '/usr/lib/postgresql': 'postgresql',
  'qemu-aarch64-static': 'qemu-user-static',
  '/usr/aarch64-linux-gnu/lib/libstdc++.so.6': 'libstdc++6-arm64-cross',
}
/** The version options of programs that do not know `--version`. */
const VERSION = { tmux: '-V', openssl: 'version' }
/** Programs without such an option. */
const NO_VERSION = ['ssh-agent', 'ssh-keygen']

const missing = () => process.argv.slice(2).filter((program) => !works(program))

if (missing().length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version') && works('apt-get')) {
  console.error(`${missing().join(', ')}: missing. Installing with apt-get.`)
  run('apt-get', ['update', '-qq'])
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packagesOf(missing())])
}
const left = missing()
if (left.length > 0) {
  const packages = packagesOf(left).join(' ')
  console.error(
    `${left.join(', ')}: missing. Install it (on Debian or Ubuntu, as root: apt-get install ${packages}) and run this again.`,
  )
  process.exit(1)
}

function packagesOf(programs) {
  return [...new Set(programs.map((program) => PACKAGES[program] ?? program))]
}

function works(command) {
  if (command.startsWith('/')) return existsSync(command)
  if (NO_VERSION.includes(command))
    return (process.env.PATH ?? '').split(':').some((dir) => existsSync(`${dir}/${command}`))
  return spawnSync(command, [VERSION[command] ?? '--version'], { stdio: 'ignore' }).status === 0
}

function run(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync(command, args, { stdio: ['ignore', process.stderr, process.stderr], env })
}
