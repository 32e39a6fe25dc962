import { expect, it } from 'vitest'
import { loadOf } from '../../src/terminal/process-load.js'

it("the count excludes processes of the host before the command's own /proc is mounted", () => {
  // While bubblewrap sets up a command, the root of its first process is the host's, as for this process.
  expect(loadOf(process.pid)).toEqual({ processes: 0, memory: 0 })
})
