import { tmpdir } from 'node:os'
import { defined } from '../core/defined.js'
import { isInstalled, runProgram } from '../os/child.js'
import { makeDir, makeTempDir, removeTree } from '../os/write.js'
import { runContained } from './contained.js'
import { Holder } from './holder.js'

/** One prerequisite of containment, checked by trying it. */
export interface Capability {
  readonly name: 'platform' | 'user namespaces' | 'overlay' | 'bubblewrap' | 'sandbox'
  readonly ok: boolean
  /** The error output of the check. */
  readonly problem?: string
  /** The command or the change that fixes it. */
  readonly fix?: string
}

const PREREQUISITES: readonly Capability['name'][] = ['platform', 'user namespaces', 'overlay', 'bubblewrap', 'sandbox']

/** Checks the prerequisites of containment by an overlay mount. The list ends with the first that fails. */
export async function probeNow(): Promise<Capability[]> {
  return (await probeWhole()) ?? probeEach()
}

/** The whole sandbox needs all the prerequisites, so if it works, each of them does. Undefined if it does not. */
async function probeWhole(): Promise<Capability[] | undefined> {
  if (!platform().ok || !(await sandbox()).ok) return undefined
  return PREREQUISITES.map((name) => ({ name, ok: true }))
}

async function probeEach(): Promise<Capability[]> {
  const found: Capability[] = []
  for (const check of [platform, namespaces, overlay, bubblewrap, sandbox]) {
    const capability = await check()
    found.push(capability)
    if (!capability.ok) break
  }
  return found
}

function platform(): Capability {
  const ok = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64')
  if (ok) return { name: 'platform', ok }
  return {
    name: 'platform',
    ok,
    problem: `Containment needs Linux on x64 or arm64; this is ${process.platform} on ${process.arch}.`,
    fix: process.platform === 'win32' ? 'Run escrow in WSL2.' : 'Run escrow in a Linux virtual machine or container.',
  }
}

export const NO_NAMESPACES =
  'sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0 ' +
  '(in a container: run it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined)'

function namespaces(): Capability {
  const ran = runProgram('unshare', ['--user', '--map-root-user', '--mount', '--', 'true'])
  return toCapability('user namespaces', ran, ran.problem === undefined ? NO_NAMESPACES : 'apt-get install util-linux')
}

const TRY_OVERLAY = `set -e
mount -t tmpfs escrowfs "$1"
cd "$1"
mkdir a b c d
mknod b/x c 0 0
mount -t overlay escrowfs -o lowerdir=a,upperdir=b,workdir=c,userxattr d`

function overlay(): Capability {
  const dir = makeTempDir(`${tmpdir()}/escrowfs-`)
  try {
    const ran = runProgram('unshare', [
      '--user',
      '--map-root-user',
      '--mount',
      '--',
      'sh',
      '-c',
      TRY_OVERLAY,
      'sh',
      dir,
    ])
    return toCapability('overlay', ran, 'modprobe overlay (Linux 5.11 or later)')
  } finally {
    removeTree(dir)
  }
}

/** Whether bubblewrap starts. */
export function bubblewrap(): Capability {
  const fix = 'apt-get install bubblewrap'
  if (!isInstalled('bwrap')) return { name: 'bubblewrap', ok: false, problem: 'bubblewrap is not installed.', fix }
  return toCapability('bubblewrap', runProgram('bwrap', ['--version']), fix)
}

/** Runs a command in the whole sandbox. */
async function sandbox(): Promise<Capability> {
  const dir = makeTempDir(`${tmpdir()}/escrowfs-`)
  let holder: Holder | undefined
  try {
    makeDir(`${dir}/.orchestration`)
    holder = await Holder.open(dir, 1 << 20)
    const plain = {
      cwd: dir,
      env: { PATH: '/usr/bin:/bin' },
      network: false,
      processes: 64,
      visibility: { hidden: [], shown: [] },
      readOnlyNames: [],
    }
    const { exitCode, stderr, ended } = await runContained(holder, dir, { args: ['true'], timeout: 20_000, ...plain })
    const problem = ended === undefined ? undefined : `A command was stopped: ${ended}.`
    return toCapability('sandbox', { status: exitCode, stdout: '', stderr, ...defined({ problem }) }, NO_NAMESPACES)
  } catch (error) {
    return { name: 'sandbox', ok: false, problem: String(error), fix: NO_NAMESPACES }
  } finally {
    await holder?.close()
    removeTree(dir)
  }
}

function toCapability(name: Capability['name'], ran: ReturnType<typeof runProgram>, fix: string): Capability {
  if (ran.status === 0) return { name, ok: true }
  return { name, ok: false, problem: ran.problem ?? (ran.stderr.trim() || `It exited with ${ran.status}.`), fix }
}
