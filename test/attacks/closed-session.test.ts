import fs from 'node:fs'
import { expect, test } from 'vitest'
import { scene, thrown } from './kit.js'

test('a call on a closed session writes into no file that came to bear the number of its log', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const workspace = await s.open()
  const session = await s.agent(workspace)
  session.fs.writeFileSync('src/a.ts', 'b\n')
  await session.close()

  const numbers: number[] = []
  for (let i = 0; i < 8; i++) numbers.push(fs.openSync(s.at(`victim-${i}`), 'w+'))
  try {
    expect(thrown(() => session.fs.writeFileSync('src/a.ts', 'c\n'))?.reason).toBe('access_denied')
    expect(thrown(() => session.fs.appendFileSync('src/a.ts', 'd\n'))).toBeDefined()
    for (let i = 0; i < 8; i++) expect(s.read(`victim-${i}`)).toBe('')
  } finally {
    for (const number of numbers) fs.closeSync(number)
  }
})

test('closing a session twice at once closes no file of anybody else', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const workspace = await s.open()
  const session = await s.agent(workspace)
  session.fs.writeFileSync('src/a.ts', 'b\n')
  const closing = [session.close(), session.close(), workspace.close()]
  await expect(Promise.all(closing)).resolves.toBeDefined()
})

test('a tool call that ends after its session was closed leaves foreign files alone', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const workspace = await s.open()
  const session = await s.agent(workspace)
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const call = session.toolCall({ tool: 'x', kind: 'edit' }, () => gate)
  await session.close()
  const numbers: number[] = []
  for (let i = 0; i < 8; i++) numbers.push(fs.openSync(s.at(`victim-${i}`), 'w+'))
  try {
    go()
    await call.catch(() => undefined)
    for (let i = 0; i < 8; i++) expect(s.read(`victim-${i}`)).toBe('')
  } finally {
    for (const number of numbers) fs.closeSync(number)
  }
})
