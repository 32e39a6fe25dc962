import { readlinkSync } from 'node:fs'
import { isWithin } from '../../overlay/index.js'
import { ACCEPTED_IN_MOUNT } from '../host/accepted-files.js'
import { layoutAt } from '../host/workspace-state.js'
import type { CommandOptions } from './command-io.js'
import { SPOOL_AT, WORDS_AT } from './denial-spool.js'
import type { Visibility } from './secrets.js'

/** What the sandbox is made of, as options of bubblewrap. */

/** The descriptor the sandbox tells by. The filter is 5. */
export const STATUS = 3

/** Places that are a command's own. */
const OWN = ['/tmp', '/run', '/var/tmp']
/** What covers a directory has nothing in it; a command may put that much there. */
const COVER_BYTES = String(1 << 20)
const RUN_BYTES = String(16 << 20)
/** Never the machine's. */
const NEVER_SHOWN = ['/dev', '/proc']

/** What starts the command, as the sandbox sees it. */
const WRITE_ONLY_AT = '/run/escrow/write-only'

/**
 * The command behind what limits where it may write. Every mount that can be written is one of these places: a path below
 * it that is shown read-only keeps its files from being written, and where it lies in a cover, its FIFOs.
 */
export function bwrapArguments(root: string, program: readonly string[], { home, outlook }: CommandOptions): string[] {
  const homes = home?.mounts.map(({ at }) => at) ?? []
  const covers = outlook.hidden
    .filter(({ path, isDirectory }) => isDirectory && !outlook.shown.some((shown) => isWithin(shown, path)))
    .map(({ path }) => path)
  return [WRITE_ONLY_AT, '/', root, ...OWN, ...NEVER_SHOWN, ...homes, ...covers, '', ...program]
}

/** @param scratch the directory of the layers. Throws where an option would become two. */
export function sandboxOf(root: string, scratch: string, options: CommandOptions): string[] {
  const { cwd, env, network, outlook, shut, terminal } = options
  const user = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return [
    ...['--unshare-user', '--uid', String(user[0]), '--gid', String(user[1])],
    ...[
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
      // With a list of hosts it is in a namespace of its own already.
      ...(network === false ? ['--unshare-net'] : []),
    ],
    ...[
      '--die-with-parent',
      // A session has a terminal of its own, or none. Who shares ours is kept from typing into it by the filter.
      ...(terminal ? [] : ['--new-session']),
      '--cap-drop',
      'ALL',
      '--seccomp',
      '5',
      '--json-status-fd',
      String(STATUS),
    ],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    // What a command writes lies in the one file system that has a size. In /run we mount, so there no link may wait for us.
    ...['/tmp', '/var/tmp', '/dev/shm'].flatMap((place) => ['--bind', `${scratch}/own${place}`, place]),
    ...['--remount-ro', '/dev', '--size', RUN_BYTES, '--tmpfs', '/run'],
    ...['--bind', `${scratch}/told`, SPOOL_AT],
    ...['--ro-bind', `${scratch}/words`, WORDS_AT],
    ...['--ro-bind', `${scratch}/write-only`, WRITE_ONLY_AT],
    // A hook that runs in here judges by what the person has accepted, as outside.
    ...['--ro-bind-try', layoutAt(root).trustFile, ACCEPTED_IN_MOUNT],
    ...(network === true ? resolverPaths() : []),
    ...homeOf(options, scratch),
    ...outside(outlook, scratch),
    ...['--bind', root, root],
    ...['.orchestration', ...shut].flatMap((name) => ['--ro-bind-try', `${root}/${name}`, `${root}/${name}`]),
    ...['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--chdir', cwd],
  ]
}

/** The client's own directories of the home, with its settings as they are. */
function homeOf({ home }: CommandOptions, scratch: string): string[] {
  if (home === undefined) return []
  const nothing = { directory: 'empty', json: 'empty.json', text: 'empty.txt' }
  return [
    ...home.mounts.flatMap(({ at }, each) => ['--bind', `${scratch}/homes/${each}/merged`, at]),
    ...home.fixed.flatMap(({ at, kind, isThere }) => ['--ro-bind', isThere ? at : `${scratch}/${nothing[kind]}`, at]),
  ]
}

/**
 * What covers the machine's files. The deepest place has the last word, so the shallow ones are laid down first; what
 * nothing above has changed is left alone: over a place that is shown anyway a mount would bring back what is hidden
 * in it, and below a place of a command's own the way may be a link the command made.
 */
function outside({ hidden, shown }: Visibility, scratch: string): string[] {
  const layers = { path: scratch, isDirectory: true }
  const asked = [
    ...[...hidden, layers].map((place) => ({ ...place, isHidden: true })),
    ...shown.map((path) => ({ path, isDirectory: true, isHidden: false })),
  ].sort((a, b) => a.path.split('/').length - b.path.split('/').length)
  const laid = [...OWN, ...NEVER_SHOWN].map((path) => ({ path, isHidden: true }))
  const options: string[] = []
  for (const place of asked) {
    const { path, isHidden, isDirectory } = place
    const above = laid
      .filter((each) => isWithin(path, each.path))
      .sort((a, b) => a.path.length - b.path.length)
      .at(-1)
    if ((above?.isHidden ?? false) === isHidden || [...OWN, ...NEVER_SHOWN].includes(path)) continue
    if (NEVER_SHOWN.some((never) => isWithin(path, never))) continue
    if (!isHidden) options.push('--ro-bind', path, path)
    else if (isDirectory) options.push('--size', COVER_BYTES, '--tmpfs', path)
    else options.push('--ro-bind', '/dev/null', path)
    laid.push(place)
  }
  return options
}

/** Names are looked up by a file that may lie in /run, which is empty inside. */
function resolverPaths(): string[] {
  try {
    const path = readlinkSync('/etc/resolv.conf')
    const target = path.startsWith('/') ? path : `/etc/${path}`
    return target.startsWith('/run/') || target.startsWith('/etc/../run/') ? ['--ro-bind-try', target, target] : []
  } catch {
    return []
  }
}
