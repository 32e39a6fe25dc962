import type { ForeignSetting } from '../surface/index.js'
import { table } from './output.js'

/** Tells a person what a client will obey here that did not come from us; nothing where there is nothing. */
export function describeForeignSettings(settings: readonly ForeignSetting[]): string {
  if (settings.length === 0) return ''
  const rows = settings.map(({ path, at, value }) => [path, at, value])
  return `This repository has settings that escrow did not write. Your client will run or obey them:\n${table(rows)}`
}
