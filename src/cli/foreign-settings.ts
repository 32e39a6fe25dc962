import type { ForeignSetting } from '../surface/index.js'
import { table } from './output.js'

/** Lists the settings that a client obeys and escrow did not write. Returns '' if there are none. */
export function describeForeignSettings(settings: readonly ForeignSetting[]): string {
  if (settings.length === 0) return ''
  const rows = settings.map(({ path, at, value }) => [path, at, value])
  return `This repository has settings that escrow did not write. Your client will run or obey them:\n${table(rows)}`
}
