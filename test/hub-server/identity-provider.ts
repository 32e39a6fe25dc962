import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'
import { onTestFinished, vi } from 'vitest'

export const CLIENT = { id: 'hub', secret: 'a secret of the hub, for this test alone' }

type Claims = Record<string, unknown>

export interface IdentityProvider {
  readonly issuer: string
  /** Claims of people, by their subject, which is the name that they sign in with. */
  readonly people: Map<string, Claims>
  /** Changes the claims of the next ID tokens, which are signed with the provider's own key, or with another. */
  forge: ((claims: Claims) => Claims) | undefined
  isOtherKey: boolean
}

/** Runs a real OpenID provider on loopback until the test ends. @param host its name, of loopback */
export async function startProvider(hub: string, host: string): Promise<IdentityProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  const issuer = `http://${host}:${portOf(server.address())}`
  const [key, otherKey] = [newKey(), newKey()]
  const started: IdentityProvider = { issuer, people: new Map(), forge: undefined, isOtherKey: false }
  // The provider warns about settings that only a test may use.
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const provider = new Provider(issuer, configuration(hub, started, key))
  warn.mockRestore()
  provider.use(async (context, next) => {
    await next()
    const body: unknown = context.body
    if (context.path !== '/token' || started.forge === undefined || !hasIdToken(body)) return
    const claims = started.forge(JSON.parse(Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString()))
    context.body = Object.assign({}, body, { id_token: signToken(claims, started.isOtherKey ? otherKey : key) })
  })
  server.on('request', provider.callback())
  return started
}

function configuration(hub: string, { people }: IdentityProvider, key: Key): Configuration {
  return {
    clients: [
      { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [`${hub}/sign-in/callback`] },
      { client_id: 'another', client_secret: CLIENT.secret, redirect_uris: [`${hub}/sign-in/callback`] },
    ],
    cookies: { keys: ['a key of this test'] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'email', 'email_verified'], groups: ['groups'] },
    jwks: { keys: [Object.assign(key.privateKey.export({ format: 'jwk' }), { kid: KID, alg: 'ES256', use: 'sig' })] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => Promise.resolve(Object.assign({}, people.get(id), { sub: id })),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId })
      grant.addOIDCScope('openid profile groups')
      await grant.save()
      return grant
    },
  }
}

const KID = 'test'

interface Key {
  readonly privateKey: import('node:crypto').KeyObject
}

function newKey(): Key {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function signToken(claims: Claims, { privateKey }: Key): string {
  const parts = [{ alg: 'ES256', kid: KID, typ: 'JWT' }, claims].map((each) =>
    Buffer.from(JSON.stringify(each)).toString('base64url'),
  )
  const input = parts.join('.')
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

function hasIdToken(body: unknown): body is { readonly id_token: string } {
  return typeof body === 'object' && body !== null && 'id_token' in body && typeof body.id_token === 'string'
}

function portOf(address: string | AddressInfo | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  return address.port
}
