import type { Table } from './rule.js'
import { BUILD } from './table-build.js'
import { FILES } from './table-files.js'
import { GIT } from './table-git.js'
import { REMOTE } from './table-remote.js'

export const PROGRAMS: Table = new Map([...BUILD, ...REMOTE, ...GIT, ...FILES])
