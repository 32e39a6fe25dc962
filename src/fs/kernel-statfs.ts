import fs, { type BigIntStatsFs, type StatsFs } from 'node:fs'
import { Errno } from '../../overlay/index.js'
import { readLooseOptions } from './args.js'
import type { Args } from './op-types.js'
import type { ReadView } from './view.js'

/** The disk below the workspace. Staged content takes no space on it yet. */
export function statfs(view: ReadView, [path, given]: Args): StatsFs | BigIntStatsFs {
  const bigint = readLooseOptions(given).bigint === true
  const place = view.at(path, 'follow')
  if (!place.inside) return view.host(place).statfsSync(place.path, { bigint })
  if (view.layer.typeOf(place.path) === undefined) throw new Errno('ENOENT')
  return fs.statfsSync(view.root, { bigint })
}
