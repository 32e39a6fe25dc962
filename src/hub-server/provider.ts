import type { ClientAuth, Configuration } from 'openid-client'
import { z } from 'zod'
import { type BegunSignIn, HubError, type Person, packageMissing } from '../hub/index.js'
import { isProtected, type SignInSettings } from './sign-in-settings.js'

/** The path that the provider sends browsers back to. */
export const CALLBACK = '/sign-in/callback'

/** An OpenID provider, as far as the hub asks it. */
export interface Provider {
  /** The address to send a browser to. @throws HubError `away` if the provider does not answer */
  address(begun: BegunSignIn): Promise<string>
  /**
   * Checks the provider's answer, and returns who signed in.
   * @param search the query of the address that the browser came back to
   * @throws HubError `refused` if the answer, or a claim in it, is invalid
   */
  identify(begun: BegunSignIn, search: string): Promise<Person>
}

/** The time limit of one answer of the provider. */
const ANSWER_SECONDS = 10
const MAX_GROUPS = 1_000
const MAX_NAME = 200

const NAME = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u)
const GROUPS = z.union([z.array(z.string()), z.string().transform((one) => [one])])

/**
 * Connects with a provider. It is asked for its metadata at the first sign-in, so that a hub starts without it.
 * @throws HubError `refused` if the package for it is missing
 */
export async function openProvider(settings: SignInSettings, report: (error: unknown) => void): Promise<Provider> {
  const client = await import('openid-client').catch((error: unknown) => {
    throw packageMissing('openid-client', error)
  })
  let known: Promise<Configuration> | undefined
  const configuration = () => {
    known ??= discover(client, settings).catch((error: unknown) => {
      known = undefined
      report(error)
      throw new HubError('away', 'The identity provider does not answer as it should. Its operator can help.')
    })
    return known
  }
  return {
    async address({ state, nonce, verifier }) {
      const address = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: `${settings.url}${CALLBACK}`,
        scope: settings.scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return address.href
    },
    async identify(begun, search) {
      const config = await configuration()
      try {
        return personOf(settings, await readClaims(client, config, settings, begun, search))
      } catch (error) {
        if (error instanceof HubError) throw error
        report(error)
        throw new HubError(
          'refused',
          "The sign-in failed: the provider's answer is not valid, or it refused. Try again.",
        )
      }
    },
  }
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const

type Client = typeof import('openid-client')
type Claims = Readonly<Record<string, unknown>>

async function discover(client: Client, settings: SignInSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = settings
  // The settings allow it on loopback alone.
  const isLocal = new URL(issuer).protocol === 'http:'
  const config = await client.discovery(new URL(issuer), clientId, {}, authenticate(client, clientSecret), {
    timeout: ANSWER_SECONDS,
    execute: isLocal ? [client.allowInsecureRequests] : [],
  })
  // The library compares parsed addresses, and accepts a template as the issuer of one provider. A subject belongs to exactly one issuer.
  if (config.serverMetadata().issuer !== issuer)
    throw new Error(`The provider's issuer is not exactly the one of ESCROW_HUB_OIDC_ISSUER.`)
  // For an https issuer the library requires TLS everywhere. For one on loopback, we require it of every address beyond loopback.
  for (const key of ENDPOINTS) {
    const address = config.serverMetadata()[key]
    if (address !== undefined && !isProtected(address)) throw new Error(`The provider's ${key} has no TLS.`)
  }
  client.enableNonRepudiationChecks(config)
  return config
}

/** Sends the secret in the header, which is the standard's default, unless the provider accepts it only in the form. */
function authenticate(client: Client, secret: string): ClientAuth {
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
    const isBasic = methods.includes('client_secret_basic')
    const apply = isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
    apply(server, ...rest)
  }
}

/** The claims of the ID token, with those that only the provider's page of the user has. */
async function readClaims(
  client: Client,
  config: Configuration,
  { url, nameClaim, groupsClaim }: SignInSettings,
  { state, nonce, verifier }: BegunSignIn,
  search: string,
): Promise<Claims & { readonly sub: string }> {
  const tokens = await client.authorizationCodeGrant(config, new URL(`${url}${CALLBACK}${search}`), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('The answer has no ID token.')
  const isWhole = nameClaim in claims && groupsClaim in claims
  if (isWhole || config.serverMetadata().userinfo_endpoint === undefined) return claims
  return Object.assign({}, await client.fetchUserInfo(config, tokens.access_token, claims.sub), claims)
}

/** @throws HubError `refused` without a name that can be shown and that the provider vouches for */
function personOf({ issuer, nameClaim, groupsClaim }: SignInSettings, claims: Claims & { sub: string }): Person {
  const name = NAME.safeParse(claims[nameClaim])
  if (!name.success || (nameClaim === 'email' && claims.email_verified !== true))
    throw new HubError('refused', `The provider gives no valid claim ${nameClaim}. The hub needs it as your name.`)
  const groups = GROUPS.safeParse(claims[groupsClaim] ?? [])
  if (!groups.success || groups.data.length > MAX_GROUPS)
    throw new HubError('refused', `The provider gives no valid claim ${groupsClaim}.`)
  const names = groups.data.filter((each) => !/\p{C}/u.test(each))
  return { issuer, subject: claims.sub, name: name.data, groups: names }
}
