import { digest } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { setSignInGroup } from '../../src/hub/sign-in-groups.js'
import { openStores } from '../../src/hub/stores.js'
import type { Scope } from '../../src/hub/types.js'
import { readSignInSettings } from '../../src/hub-server/sign-in-settings.js'
import { createChange, serveTrial, trialDatabase } from '../hub/fixtures.js'
import { freePort } from '../support/free-port.js'
import { CLIENT, startProvider } from './identity-provider.js'

/**
 * A hub with a real provider, where Ada and Bo are members of the reviewing group.
 * @param host the provider's name on loopback: another name is another site for a browser
 */
export async function team(variables: Readonly<Record<string, string>> = {}, host = '127.0.0.1') {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const provider = await startProvider(url, host)
  const signIn = readSignInSettings(
    Object.assign(
      {
        ESCROW_HUB_URL: url,
        ESCROW_HUB_OIDC_ISSUER: provider.issuer,
        ESCROW_HUB_OIDC_CLIENT_ID: CLIENT.id,
        ESCROW_HUB_OIDC_CLIENT_SECRET: CLIENT.secret,
        ESCROW_HUB_OIDC_SCOPE: 'openid profile groups',
      },
      variables,
    ),
  )
  const [hub, database] = [await serveTrial({ port, signIn }), await trialDatabase()]
  // The groups of a database belong to all tenants, so each test has its own.
  const group = `reviewers of ${hub.scope.tenant}`
  for (const name of ['ada', 'bo'])
    provider.people.set(name, { preferred_username: name, groups: [group, 'everybody'] })
  await setSignInGroup(
    database,
    Object.assign({ name: group, role: 'reviewer' as const, teams: ['@shop/docs'] }, hub.scope),
  )
  const submit = async (scope: Scope = hub.scope) => {
    const { registry, queue } = openStores(database, scope)
    const { epoch } = await registry.open('laptop.agent-1', 'laptop')
    const change = createChange('docs/a.md')
    const hold = { session: 'laptop.agent-1', host: 'laptop', epoch }
    const { id } = await queue.submit(hold, { digest: digest(group), revision: 1, changes: [change] })
    const decisions = async () => (await queue.since(0, 'laptop')).decisions
    return { id, key: changeKey(change), decisions }
  }
  return { hub, url, provider, database, group, submit }
}

export type Team = Awaited<ReturnType<typeof team>>
