import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { CACHE, installOnce } from '../support/npm-install.js'
import { clientFixture } from './fixture.js'

const PACKAGE = '@modelcontextprotocol/conformance@0.1.13'
const DIR = join(CACHE, 'clients', 'conformance-0.1.13')
const PROGRAM = join('node_modules', '.bin', 'conformance')
/** Scenarios about features that our server does not have, with the reasons. */
const BASELINE = fileURLToPath(new URL('conformance-baseline.yaml', import.meta.url))

it('escrow mcp passes every applicable scenario of the official suite', async () => {
  installOnce(DIR, [PACKAGE], PROGRAM)
  const fixture = await clientFixture({ script: [] })
  const server = spawn('escrow', ['mcp', '--session', 'conformance', '--http'], {
    ...{ cwd: fixture.root, env: fixture.env, stdio: ['ignore', 'pipe', 'inherit'] },
  })
  onTestFinished(() => void server.kill())
  const url = await addressOf(server)
  // It exits with 0 only if exactly the baseline fails. A passing scenario must not be listed.
  const { code, out, err } = await fixture.run(join(DIR, PROGRAM), [
    ...['server', '--url', url, '--suite', 'all', '--expected-failures', BASELINE],
  ])
  expect(code, `${out}${err}`).toBe(0)
  expect(out).toContain('server-initialize')
})

/** Waits for the printed address with its token. */
async function addressOf({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  let printed = ''
  for await (const chunk of stdout) {
    printed += String(chunk)
    const [url] = /http:\/\/\S+/.exec(printed) ?? []
    if (url !== undefined) return url
  }
  throw new Error('escrow mcp --http ended without an address.')
}
