/** Takes and gives back an ownership many times; while it has it, nobody else may be in the room: FILE ROOM TIMES. */
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
