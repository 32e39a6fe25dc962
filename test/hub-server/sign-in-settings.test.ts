import { expect, it } from 'vitest'
import { readSignInSettings } from '../../src/hub-server/sign-in-settings.js'

const WHOLE = {
  ESCROW_HUB_URL: 'https://hub.example.com',
  ESCROW_HUB_OIDC_ISSUER: 'https://login.example.com/shop',
  ESCROW_HUB_OIDC_CLIENT_ID: 'hub',
  ESCROW_HUB_OIDC_CLIENT_SECRET: 'the secret',
}
const read = (other: Readonly<Record<string, string | undefined>>) =>
  readSignInSettings(Object.assign({}, WHOLE, other))

it('the settings have defaults, and are unset without a variable', () => {
  expect(readSignInSettings({ ESCROW_HUB_URL: WHOLE.ESCROW_HUB_URL, ESCROW_HUB_OIDC_ISSUER: '' })).toBeUndefined()
  expect(read({ ESCROW_HUB_OIDC_SCOPE: '' })).toEqual({
    issuer: 'https://login.example.com/shop',
    clientId: 'hub',
    clientSecret: 'the secret',
    url: 'https://hub.example.com',
    nameClaim: 'preferred_username',
    groupsClaim: 'groups',
    scope: 'openid profile',
  })
})

it.each(Object.keys(WHOLE))('%s is required if another variable is set', (name) => {
  expect(() => read({ [name]: undefined })).toThrow(`Set ${name}.`)
})

it.each([
  'http://login.example.com',
  'http://127.0.0.1.example.com',
  'http://user@127.0.0.2',
  'ftp://127.0.0.1',
  'login.example.com',
])('%s is not a valid address of a provider or of the hub', (address) => {
  expect(() => read({ ESCROW_HUB_OIDC_ISSUER: address })).toThrow('ESCROW_HUB_OIDC_ISSUER is wrong.')
  expect(() => read({ ESCROW_HUB_URL: address })).toThrow('ESCROW_HUB_URL is wrong.')
})

it('http is accepted only on loopback, and for a hub without a path', () => {
  for (const url of ['http://127.0.0.1:4180', 'http://localhost:4180/', 'http://[::1]:4180'])
    expect(read({ ESCROW_HUB_URL: url })?.url).toBe(new URL(url).origin)
  expect(() => read({ ESCROW_HUB_URL: 'https://example.com/hub' })).toThrow('It must have no path.')
})

it('an error contains no value of a variable', () => {
  expect(() => read({ ESCROW_HUB_OIDC_ISSUER: 'secret of somebody' })).toThrow(/^((?!secret of).)*$/)
})
