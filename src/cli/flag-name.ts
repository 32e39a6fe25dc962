import { oneLine } from './printable.js'

/** A change's flag as people read it. The API and `--json` have the flag itself. */
export function flagName(flag: string): string {
  return flag === 'drifted' ? 'changed on disk' : oneLine(flag)
}
