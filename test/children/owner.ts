/** Takes an ownership as told: FILE WAIT. Says "mine" or "not mine"; a line of input makes it let go and end. */
import { takeOwnership } from '../../src/os/owner.js'

const [file = '', wait = '0'] = process.argv.slice(2)
const lease = await takeOwnership(file, Number(wait))
process.stdout.write(lease ? 'mine\n' : 'not mine\n')
process.stdin.once('data', () => {
  lease?.release()
  process.exit(0)
})
