import { z } from 'zod'
import { HubError } from '../hub/index.js'

/** How people sign in by an identity provider. */
export interface SignInSettings {
  /** Exactly as the provider writes it. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The hub's own address, as browsers see it: without a path. */
  readonly url: string
  readonly nameClaim: string
  readonly groupsClaim: string
  readonly scope: string
}

const PREFIX = 'ESCROW_HUB_OIDC_'
const TEXT = z.string().min(1)
const ADDRESS = z.url({ protocol: /^https?$/ }).refine(isProtected, 'It must begin with https://, except on loopback.')

const SETTINGS = z.object({
  ESCROW_HUB_OIDC_ISSUER: ADDRESS,
  ESCROW_HUB_OIDC_CLIENT_ID: TEXT,
  ESCROW_HUB_OIDC_CLIENT_SECRET: TEXT,
  ESCROW_HUB_URL: ADDRESS.refine(hasNoPath, 'It must have no path.'),
  ESCROW_HUB_OIDC_NAME_CLAIM: TEXT.default('preferred_username'),
  ESCROW_HUB_OIDC_GROUPS_CLAIM: TEXT.default('groups'),
  ESCROW_HUB_OIDC_SCOPE: TEXT.default('openid profile'),
})

/**
 * Reads the operator's variables. Undefined: none is set, and people sign in by tokens alone.
 * @throws HubError `invalid` if some are set and others are missing or wrong. No message has a value.
 */
export function readSignInSettings(variables: NodeJS.ProcessEnv): SignInSettings | undefined {
  const values = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  if (!Object.keys(values).some((name) => name.startsWith(PREFIX))) return undefined
  const read = SETTINGS.safeParse(values)
  if (!read.success)
    throw new HubError(
      'invalid',
      `Correct the variables for sign-in by OIDC. ${read.error.issues.map(describe).join(' ')}`,
    )
  const settings = read.data
  return {
    issuer: settings.ESCROW_HUB_OIDC_ISSUER,
    clientId: settings.ESCROW_HUB_OIDC_CLIENT_ID,
    clientSecret: settings.ESCROW_HUB_OIDC_CLIENT_SECRET,
    url: new URL(settings.ESCROW_HUB_URL).origin,
    nameClaim: settings.ESCROW_HUB_OIDC_NAME_CLAIM,
    groupsClaim: settings.ESCROW_HUB_OIDC_GROUPS_CLAIM,
    scope: settings.ESCROW_HUB_OIDC_SCOPE,
  }
}

function hasNoPath(text: string): boolean {
  return URL.canParse(text) && new URL(text).href === `${new URL(text).origin}/`
}

/** Whether an address has TLS, or stays on this machine, for tests and trials. */
export function isProtected(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost'
}

function describe({ path, code, message }: z.core.$ZodIssue): string {
  const name = path.join('.')
  return code === 'invalid_type' ? `Set ${name}.` : `${name} is wrong. ${code === 'custom' ? message : ''}`.trim()
}
