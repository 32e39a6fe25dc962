/**
 * Takes ownership of a file: FILE WAIT. Prints "mine" or "not mine". A line of input makes it release the file and
 * exit.
 */
import { takeOwnership } from '../../src/os/owner.js'

const [file = '', wait = '0'] = process.argv.slice(2)
const lease = await takeOwnership(file, Number(wait))
process.stdout.write(lease ? 'mine\n' : 'not mine\n')
process.stdin.once('data', () => {
  lease?.release()
  process.exit(0)
})
