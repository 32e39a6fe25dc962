// Makes sure there is a git to run. On Debian as root it is installed; elsewhere the run ends with what to do.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

if (!works('git')) {
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version') && works('apt-get')) {
    console.error('git is missing: installing it by apt-get.')
    run('apt-get', ['update', '-qq'])
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'git'])
  }
  if (!works('git')) {
    console.error('git is missing. Install it (on Debian or Ubuntu, as root: apt-get install git) and run this again.')
    process.exit(1)
  }
}

function works(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0
}

function run(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync(command, args, { stdio: ['ignore', process.stderr, process.stderr], env })
}
