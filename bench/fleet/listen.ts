import type { Server } from 'node:http'

/** Listens on a free port of loopback. @returns the address */
export function listenOn(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(`http://127.0.0.1:${address.port}`)
      else reject(new Error('The server has no port.'))
    })
  })
}
