import { dirname, join } from 'node:path'
import { assertOutsideSession } from '../access/index.js'
import { shellWord } from '../core/shell-word.js'
import { stateDir } from '../os/state-dir.js'
import { ensurePrivateDir, replaceDurable, setMode } from '../os/write.js'

/** Where the programs lie that {@link installLauncher} makes. */
export function launcherDir(): string {
  return join(stateDir(), 'bin')
}

/** The programs of the package, and where each is beside the command's own. */
const PROGRAMS = [
  ['escrow', 'main.js'],
  ['escrow-sh', 'sh.js'],
] as const

/**
 * Puts programs into the state directory that start this very escrow, whatever PATH says: the entries in clients' settings look there first.
 * It is one person's, so that no file of a repository has to name a path of one machine.
 * @param entry the command's own file, absolute.
 */
export function installLauncher(entry: string, node = process.execPath): void {
  assertOutsideSession()
  const bin = launcherDir()
  ensurePrivateDir(bin)
  for (const [name, file] of PROGRAMS) {
    const path = join(bin, name)
    replaceDurable(path, launcher(name, join(dirname(entry), file), node), 0o755)
    setMode(path, 0o755)
  }
}

/** Where what it starts is gone (`npm uninstall`, a cache that was cleared), the next one on PATH is meant. */
function launcher(name: string, entry: string, node: string): string {
  return `#!/bin/sh
# Written by escrow init: starts the ${name} that wrote it, or else the next one on PATH.
node=${shellWord(node)} entry=${shellWord(entry)}
[ -x "$node" ] || node=node
[ -f "$entry" ] && exec "$node" "$entry" "$@"
self=\${0%/*}
IFS=:
for dir in $PATH; do
  [ "$dir" != "$self" ] && [ -x "$dir/${name}" ] && exec "$dir/${name}" "$@"
done
echo "escrow is not at $entry any more. Install it again, then run 'escrow init'." >&2
exit 127
`
}
