import { writeFileSync } from 'node:fs'
import { layoutAt, prepareState } from '../../src/os/workspace-state.js'

/** Prepares the state of a workspace, and prints its directory before and after the first change of the workspace. */

const [root = ''] = process.argv.slice(2)
const before = layoutAt(root)
prepareState(before)
writeFileSync(`${root}/new`, '')
console.log(JSON.stringify([before.state, layoutAt(root).state]))
