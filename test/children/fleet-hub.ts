import { openDatabase } from '../../src/hub/index.js'
import { serveHub } from '../../src/hub-server/index.js'

/** Serves a hub: node fleet-hub.js <database> <port>. Prints a line when it answers. */

const [url = '', port = ''] = process.argv.slice(2)
await openDatabase({ url }, async (database) => {
  await serveHub({ database, port: Number(port), report: (error) => console.error(String(error)) })
  console.log('serving')
  await new Promise((resolve) => process.once('SIGTERM', resolve))
})
process.exit(0)
