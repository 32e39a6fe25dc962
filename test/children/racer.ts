/**
 * Takes and releases the ownership of a file many times, and checks that no other owner exists meanwhile, by creating
 * ROOM exclusively: FILE ROOM TIMES.
 */
import { closeSync, openSync, unlinkSync } from 'node:fs'
import { takeOwnership } from '../../src/os/owner.js'

const [file = '', room = '', times = '0'] = process.argv.slice(2)
let done = 0
while (done < Number(times)) {
  const lease = await takeOwnership(file, 30_000)
  if (!lease) break
  closeSync(openSync(room, 'wx'))
  unlinkSync(room)
  lease.release()
  done += 1
}
process.stdout.write(`${done}\n`)
