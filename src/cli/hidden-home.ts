import { homedir } from 'node:os'
import { hidingDirOf } from '../surface/index.js'
import { oneLine } from './printable.js'

/** Says that commands do not see the home directory, in lines of at most 100 columns. Empty if they do. */
export function describeHiddenHome(home: string = homedir()): string {
  const dir = hidingDirOf(home)
  if (dir === undefined) return ''
  return (
    `Commands do not see your home directory ${oneLine(home)}: they have their own ${dir}.\n` +
    'Programs do not find your settings, such as ~/.gitconfig. Use a HOME elsewhere.\n'
  )
}
