import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { openProvider } from '../../src/hub-server/provider.js'
import { freePort } from '../support/free-port.js'

const BEGUN = { state: 'a'.repeat(43), nonce: 'b'.repeat(43), verifier: 'c'.repeat(43) }

/** A server that claims to be a provider. */
async function pretend(describe: (issuer: string) => object) {
  const issuer = `http://127.0.0.1:${await freePort()}`
  const errors: unknown[] = []
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(describe(issuer)))
  })
  await new Promise<void>((resolve) => server.listen(Number(new URL(issuer).port), '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const settings = {
    ...{ issuer, clientId: 'hub', clientSecret: 'secret', url: 'http://127.0.0.1:1' },
    ...{ nameClaim: 'name', groupsClaim: 'groups', scope: 'openid' },
  }
  return { errors, provider: await openProvider(settings, (error) => errors.push(error)) }
}

const endpoints = (base: string) => ({
  authorization_endpoint: `${base}/auth`,
  token_endpoint: `${base}/token`,
  jwks_uri: `${base}/jwks`,
})

it('sign-in sends browsers to the provider that the operator named', async () => {
  const { provider } = await pretend((issuer) => Object.assign({ issuer }, endpoints(issuer)))
  expect(await provider.address(BEGUN)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/auth\?/)
})

it.each([
  ['has another name', () => Object.assign({ issuer: 'https://evil.example' }, endpoints('https://evil.example'))],
  ['has its name with an extra slash', (issuer: string) => Object.assign({ issuer: `${issuer}/` }, endpoints(issuer))],
  [
    'sends secrets elsewhere without TLS',
    (issuer: string) => Object.assign({ issuer }, endpoints(issuer), { token_endpoint: 'http://evil.example/token' }),
  ],
])('sign-in refuses a provider that %s', async (_, describe) => {
  const { provider, errors } = await pretend(describe)
  await expect(provider.address(BEGUN)).rejects.toMatchObject({ code: 'away' })
  expect(errors).toHaveLength(1)
})
