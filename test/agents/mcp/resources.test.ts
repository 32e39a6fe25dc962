import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { testWorkspace } from '../../support/workspace.js'
import { callerOf, clientOnHost, newClient } from './fixture.js'

async function setUpResources() {
  const project = testWorkspace()
  const client = newClient()
  const notifications: string[] = []
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void notifications.push('list'))
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void notifications.push(params.uri))
  await clientOnHost(project.root, { session: 's', intent: 'INT-001' }, client)
  const read = async (uri: string) => {
    const [first] = (await client.readResource({ uri })).contents
    return first && 'text' in first ? first.text : ''
  }
  const uris = async () => (await client.listResources()).resources.map(({ uri }) => uri)
  return { project, client, call: callerOf(client), read, uris, notifications }
}

describe('resources', () => {
  it('are the intents, staged changes and records of the session', async () => {
    const { call, read, uris } = await setUpResources()
    expect(await uris()).toEqual(['stage://s/diff', 'trace://s', 'intent://INT-001', 'intent://INT-002'])
    await call('write_file', { path: 'src/a.ts', content: 'a one\na 2\n' })
    await call('write_file', { path: 'src/é %.ts', content: 'new\n' })
    const file = 'stage://s/src/%C3%A9%20%25.ts/diff'
    expect(await uris()).toEqual(expect.arrayContaining(['stage://s/src/a.ts/diff', file]))
    expect(await read('stage://s/src/a.ts/diff')).toContain(
      '--- src/a.ts\n+++ src/a.ts\n@@ -1,2 +1,2 @@\n a one\n-a two\n+a 2',
    )
    expect(await read(file)).toContain('+new')
    expect(await read('stage://s/diff')).toContain('+new')
    expect(JSON.parse(await read('intent://INT-001'))).toMatchObject({ name: 'Prices' })
    for (const line of (await read('trace://s')).split('\n').filter(Boolean))
      expect(JSON.parse(line)).toMatchObject({ session_id: 's' })
  })

  it('that are missing or of another session are not shown', async () => {
    const { read } = await setUpResources()
    for (const uri of [
      'stage://s/src/a.ts/diff',
      'stage://other/diff',
      'trace://other',
      'intent://INT-404',
      'file:///etc/hostname',
    ])
      await expect(read(uri), uri).rejects.toThrow()
  })

  it('notify readers of changes: of the list, and of subscribed ones', async () => {
    const { client, call, uris, notifications } = await setUpResources()
    const write = (content: string) => call('write_file', { path: 'src/a.ts', content })
    await write('unseen\n')
    expect(notifications).toEqual([])
    await uris()
    await client.subscribeResource({ uri: 'stage://s/src/a.ts/diff' })
    await write('again\n')
    await call('read_text_file', { path: 'src/a.ts' })
    expect(notifications).toEqual(['stage://s/src/a.ts/diff'])
    await call('write_file', { path: 'src/b.ts', content: 'x\n' })
    await client.unsubscribeResource({ uri: 'stage://s/src/a.ts/diff' })
    await write('once more\n')
    expect(notifications).toEqual(['stage://s/src/a.ts/diff', 'list'])
  })
})
