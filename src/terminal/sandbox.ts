import { readlinkSync } from 'node:fs'
import { isWithin } from '../../overlay/index.js'
import { ACCEPTED_IN_MOUNT } from '../os/accepted-files.js'
import { lookAt } from '../os/read.js'
import { layoutAt } from '../os/workspace-state.js'
import type { HomeMount } from './client-home.js'
import type { CommandOptions } from './command-io.js'
import { FEEDBACK_AT, SPOOL_AT } from './denial-spool.js'
import { PRIVATE_DIRS } from './private-places.js'
import type { Visibility } from './secrets.js'

/** The sandbox as options of bubblewrap. */

/** The descriptor of bubblewrap's status report. The filter is on 5. */
export const STATUS_FD = 3

/** Size in bytes of the tmpfs that covers a hidden directory, and of /run. */
const COVER_BYTES = String(1 << 20)
const RUN_BYTES = String(16 << 20)
/** Never the machine's: bubblewrap mounts its own. */
const NEVER_SHOWN = ['/dev', '/proc']

/** The program that starts the command, as the sandbox sees it. */
const WRITE_ONLY_AT = '/run/escrow/write-only'

/**
 * The command line, behind the program that limits the paths it may write to. The listed paths are the writable mounts.
 * A path that is mounted read-only below one of them stays protected: its files by the mount, and its FIFOs if it is in
 * a covered directory.
 */
export function bwrapArguments(
  root: string,
  program: readonly string[],
  { home, visibility }: CommandOptions,
): string[] {
  const homes = home?.mounts.map(({ at }) => at) ?? []
  const covers = visibility.hidden
    .filter(({ path, isDirectory }) => isDirectory && !visibility.shown.some((shown) => isWithin(shown, path)))
    .map(({ path }) => path)
  return [WRITE_ONLY_AT, '/', root, ...PRIVATE_DIRS, ...NEVER_SHOWN, ...homes, ...covers, '', ...program]
}

/**
 * The options that set up the sandbox.
 * @param scratch the directory of the layers
 * @param tree the directory that the command sees as the workspace: a copy, or the workspace itself, over which an overlay is mounted
 * @param layers the directories that the tree shows, each with its own entries: the copy alone, or those of the overlay
 */
export function sandboxOf(
  root: string,
  scratch: string,
  { tree, layers }: { readonly tree: string; readonly layers: readonly string[] },
  options: CommandOptions,
): string[] {
  const { cwd, env, network, visibility, terminal } = options
  const readOnlyNames = withoutLinks(['.orchestration', ...options.readOnlyNames], layers)
  const user = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return [
    ...['--unshare-user', '--uid', String(user[0]), '--gid', String(user[1])],
    ...[
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
      // With a list of hosts, the command already runs in a network namespace.
      ...(network === false ? ['--unshare-net'] : []),
    ],
    ...[
      '--die-with-parent',
      // A new session has no controlling terminal. A command that shares ours cannot type into it because of the filter.
      ...(terminal ? [] : ['--new-session']),
      '--cap-drop',
      'ALL',
      '--seccomp',
      '5',
      '--json-status-fd',
      String(STATUS_FD),
    ],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    // These share the sized file system of the layers. /run is a new tmpfs because we mount in it, and an old one may hold links.
    ...['/tmp', '/var/tmp', '/dev/shm'].flatMap((place) => ['--bind', `${scratch}/own${place}`, place]),
    ...['--remount-ro', '/dev', '--size', RUN_BYTES, '--tmpfs', '/run'],
    ...['--bind', `${scratch}/told`, SPOOL_AT],
    ...['--ro-bind', `${scratch}/words`, FEEDBACK_AT],
    ...['--ro-bind', `${scratch}/write-only`, WRITE_ONLY_AT],
    // Hooks in the sandbox need the files that the person has accepted.
    ...['--ro-bind-try', layoutAt(root).trustFile, ACCEPTED_IN_MOUNT],
    ...(network === true ? resolverPaths() : []),
    ...homeOf(options, scratch),
    ...coverMounts(visibility, scratch),
    ...['--bind', tree, root],
    ...readOnlyNames.flatMap((name) => ['--ro-bind-try', `${tree}/${name}`, `${root}/${name}`]),
    ...['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--chdir', cwd],
  ]
}

/**
 * Leaves out each name that is a link, or below one, in any layer. A mount follows links, so that it would show the command a directory
 * that is hidden. Nothing is lost: a mount where a link leads does not keep the link itself.
 */
function withoutLinks(names: readonly string[], layers: readonly string[]): string[] {
  const isLinked = (layer: string, name: string) =>
    name.split('/').some((_, at, segments) => isLinkOrClosed(`${layer}/${segments.slice(0, at + 1).join('/')}`))
  return names.filter((name) => !layers.some((layer) => isLinked(layer, name)))
}

function isLinkOrClosed(path: string): boolean {
  try {
    return lookAt(path)?.isSymbolicLink() === true
  } catch {
    return true
  }
}

/** The directories of the home that have a layer, in the order of their mounts below `homes`. */
export function layersOf({ home }: Pick<CommandOptions, 'home'>): readonly HomeMount[] {
  return home?.mounts.filter(({ copy }) => copy === undefined) ?? []
}

/** The client's directories in the home, with its settings read-only. */
function homeOf(options: CommandOptions, scratch: string): string[] {
  const { home } = options
  if (home === undefined) return []
  const nothing = { directory: 'empty', json: 'empty.json', text: 'empty.txt' }
  return [
    ...layersOf(options).flatMap(({ at }, each) => ['--bind', `${scratch}/homes/${each}/merged`, at]),
    ...home.mounts.flatMap(({ at, copy }) => (copy === undefined ? [] : ['--bind', copy, at])),
    ...home.readOnly.flatMap(({ at, kind, exists }) => ['--ro-bind', exists ? at : `${scratch}/${nothing[kind]}`, at]),
  ]
}

/**
 * Mounts that hide or show files outside the workspace. Rules for deeper paths win, so shallow paths are mounted first.
 * A path whose visibility its ancestors already give is left alone: a second mount of a shown path would reveal the
 * paths hidden below it, and below a command's own directory the path may be a link that the command made.
 */
function coverMounts({ hidden, shown }: Visibility, scratch: string): string[] {
  const layers = { path: scratch, isDirectory: true }
  const argv = [
    ...[...hidden, layers].map((place) => ({ ...place, isHidden: true })),
    ...shown.map((path) => ({ path, isDirectory: true, isHidden: false })),
  ].sort((a, b) => a.path.split('/').length - b.path.split('/').length)
  const laid = [...PRIVATE_DIRS, ...NEVER_SHOWN].map((path) => ({ path, isHidden: true }))
  const options: string[] = []
  for (const place of argv) {
    const { path, isHidden, isDirectory } = place
    const above = laid
      .filter((each) => isWithin(path, each.path))
      .sort((a, b) => a.path.length - b.path.length)
      .at(-1)
    if ((above?.isHidden ?? false) === isHidden || [...PRIVATE_DIRS, ...NEVER_SHOWN].includes(path)) continue
    if (NEVER_SHOWN.some((never) => isWithin(path, never))) continue
    if (!isHidden) options.push('--ro-bind', path, path)
    else if (isDirectory) options.push('--size', COVER_BYTES, '--tmpfs', path)
    else options.push('--ro-bind', '/dev/null', path)
    laid.push(place)
  }
  return options
}

/** Keeps name resolution working if /etc/resolv.conf links into /run, which is empty inside. */
function resolverPaths(): string[] {
  try {
    const path = readlinkSync('/etc/resolv.conf')
    const target = path.startsWith('/') ? path : `/etc/${path}`
    return target.startsWith('/run/') || target.startsWith('/etc/../run/') ? ['--ro-bind-try', target, target] : []
  } catch {
    return []
  }
}
