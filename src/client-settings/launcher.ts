import { dirname, join } from 'node:path'
import { assertOutsideSession } from '../access/index.js'
import { shellWord } from '../core/shell-word.js'
import { stateDir } from '../os/state-dir.js'
import { ensurePrivateDir, replaceDurable, setMode } from '../os/write.js'

/** The directory of the programs that {@link installLauncher} writes. */
export function launcherDir(): string {
  return join(stateDir(), 'bin')
}

/** The programs of the package, and their file names next to the command's own. */
const PROGRAMS = [
  ['escrow', 'main.js'],
  ['escrow-sh', 'sh.js'],
] as const

/**
 * Writes programs that start this installation of escrow, whatever PATH is, into the state directory: the entries in clients'
 * settings look there first. The directory is private, so no file of a repository contains a path of one machine.
 * @param entry the absolute path of the command's own file
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

/** If this installation is gone (`npm uninstall`, a cleared cache), the script runs the next one on PATH. */
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
