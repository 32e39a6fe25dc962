import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ORCHESTRATION } from './core/layout.js'

/** The workspace a directory lies in: the nearest with `.orchestration`, from it up. It need not exist itself. */
export function rootOf(directory: string): string | undefined {
  if (statSync(join(directory, ORCHESTRATION), { throwIfNoEntry: false })?.isDirectory()) return directory
  const parent = dirname(directory)
  return parent === directory ? undefined : rootOf(parent)
}

/**
 * Whether this process sees a workspace by a session's mount, so that what it writes there is staged: the kernel says so.
 * A variable alone proves nothing, as anyone can set it. A copy of the workspace (`isolation: none`) is no mount.
 */
export function isInMount(root: string, env: NodeJS.ProcessEnv = process.env, mounts = mountsOfProcess): boolean {
  if (!env.ESCROW_SESSION) return false
  const physical = realpathSync(root)
  const found = mounts()
  const [staged, ours] = [physical, join(physical, ORCHESTRATION)].map((path) =>
    found.filter((mount) => mount.path === path).at(-1),
  )
  return staged?.type === 'overlay' && ours?.isReadOnly === true
}

interface Mount {
  readonly path: string
  readonly type: string
  readonly isReadOnly: boolean
}

/** As proc(5) has them: id, parent, device, root, path, options, optional fields up to a dash, type. */
function mountsOfProcess(): Mount[] {
  let text: string
  try {
    text = readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    const [, , , , path, options] = line.split(' ')
    const type = / - (\S+)/.exec(line)?.[1]
    if (path === undefined || options === undefined || type === undefined) return []
    return [{ path: unescaped(path), type, isReadOnly: options.split(',').includes('ro') }]
  })
}

/** Blanks and backslashes stand there as octal numbers of bytes. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
}
