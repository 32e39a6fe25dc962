import fs from 'node:fs'
import { expect, test } from 'vitest'
import { errorFrom, scene } from './kit.js'

test('a call on a closed session does not write to a file that reuses the descriptor of its log', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const workspace = await s.open()
  const session = await s.agent(workspace)
  session.fs.writeFileSync('src/a.ts', 'b\n')
  await session.close()

  const descriptors: number[] = []
  for (let i = 0; i < 8; i++) descriptors.push(fs.openSync(s.at(`victim-${i}`), 'w+'))
  try {
    expect(errorFrom(() => session.fs.writeFileSync('src/a.ts', 'c\n'))?.reason).toBe('access_denied')
    expect(errorFrom(() => session.fs.appendFileSync('src/a.ts', 'd\n'))).toBeDefined()
    for (let i = 0; i < 8; i++) expect(s.read(`victim-${i}`)).toBe('')
  } finally {
    for (const fd of descriptors) fs.closeSync(fd)
  }
})

test('closing a session twice concurrently closes no other file', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const workspace = await s.open()
  const session = await s.agent(workspace)
  session.fs.writeFileSync('src/a.ts', 'b\n')
  const closing = [session.close(), session.close(), workspace.close()]
  await expect(Promise.all(closing)).resolves.toBeDefined()
})

test('a tool call that ends after its session was closed does not write to other files', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const workspace = await s.open()
  const session = await s.agent(workspace)
  let finish = () => {}
  const gate = new Promise<void>((resolve) => {
    finish = resolve
  })
  const call = session.toolCall({ tool: 'x', kind: 'edit' }, () => gate)
  await session.close()
  const descriptors: number[] = []
  for (let i = 0; i < 8; i++) descriptors.push(fs.openSync(s.at(`victim-${i}`), 'w+'))
  try {
    finish()
    await call.catch(() => undefined)
    for (let i = 0; i < 8; i++) expect(s.read(`victim-${i}`)).toBe('')
  } finally {
    for (const fd of descriptors) fs.closeSync(fd)
  }
})
