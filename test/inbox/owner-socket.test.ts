import { mkdirSync, rmSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { ownerSocketOf, publishSocket } from '../../src/inbox/owner-socket.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { testWorkspace } from '../support/workspace.js'

const during = vi.hoisted(() => ({ look: (): void => undefined }))
vi.mock('../../src/os/owner.js', () => ({
  isOwned: () => {
    during.look()
    return true
  },
}))

it('a look at the socket of a session succeeds while the state of the session is removed', () => {
  const { root } = testWorkspace()
  const { dir } = layoutAt(root).session('agent')
  mkdirSync(dir, { recursive: true })
  const unpublish = publishSocket(root, 'agent', '/a/socket')
  during.look = () => rmSync(dir, { recursive: true, force: true })
  expect([undefined, '/a/socket']).toContain(ownerSocketOf(root, 'agent'))
  expect(ownerSocketOf(root, 'agent')).toBeUndefined()
  unpublish()
})
