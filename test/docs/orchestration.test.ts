import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GITATTRIBUTES, GITIGNORE } from '../../src/access/init.js'
import { type Intent, openWorkspace, type Session } from '../../src/index.js'
import { trust } from '../support/trust.js'

const project = fileURLToPath(new URL('../../', import.meta.url))

/** The repository's intents and policy in a temporary workspace. */
let root = ''
let session: Session
let intents: Intent[] = []
beforeAll(async () => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'escrowfs-own-')))
  fs.mkdirSync(`${root}/.orchestration`)
  for (const name of ['active_intents.yaml', 'policy.yaml'])
    fs.copyFileSync(`${project}.orchestration/${name}`, `${root}/.orchestration/${name}`)
  trust(root)
  const workspace = await openWorkspace(root)
  intents = await workspace.intents.list()
  session = await workspace.session({ id: 'own' })
})
afterAll(async () => {
  await session.close()
  fs.rmSync(root, { recursive: true, force: true })
})

const reasonOf = async (file: string) => (await session.explain(file, 'write')).reason

describe("this repository's own workspace", () => {
  it('lets each open intent write only in its named area', async () => {
    const isOpen = (id: string) => intents.some((each) => each.id === id && each.status !== 'COMPLETED')
    for (const { id, status, ownedScope, dependsOn } of intents) {
      if (status === 'COMPLETED') continue
      if (dependsOn.some(isOpen)) {
        await expect(session.selectIntent(id)).rejects.toMatchObject({ reason: 'intent_not_active' })
        continue
      }
      await session.selectIntent(id)
      const place = (ownedScope[0] ?? '').replace(/\*\*$/, 'new.ts')
      expect([id, await reasonOf(place)]).toEqual([id, undefined])
      expect([id, await reasonOf('package-lock.json')]).toEqual([id, 'protected_path'])
      expect([id, await reasonOf('elsewhere/new.ts')]).toEqual([id, 'scope_violation'])
    }
  })

  it('has an intent for every room', () => {
    const scopes = intents.flatMap(({ ownedScope }) => ownedScope)
    for (const folder of [
      'overlay',
      'src/fs',
      'src/policy',
      'src/intents',
      'src/review',
      'src/commit',
      'src/trace',
      'src/cli',
    ])
      expect(scopes).toContain(`${folder}/**`)
  })

  it('has existing files in the scope of each intent in progress', () => {
    for (const { id, status, ownedScope } of intents) {
      if (status !== 'IN_PROGRESS') continue
      for (const glob of ownedScope)
        expect([id, glob, fs.existsSync(path.join(project, glob.replace(/\/\*\*$/, '')))]).toEqual([id, glob, true])
    }
  })

  it('has dependencies on existing intents', () => {
    const ids = new Set(intents.map(({ id }) => id))
    expect(intents.flatMap(({ dependsOn }) => dependsOn).filter((id) => !ids.has(id))).toEqual([])
  })

  it('ignores machine-specific files in git, and merges the others by line', () => {
    expect(fs.readFileSync(`${project}.orchestration/.gitignore`, 'utf8')).toBe(GITIGNORE)
    expect(fs.readFileSync(`${project}.orchestration/.gitattributes`, 'utf8')).toBe(GITATTRIBUTES)
  })

  it('hides secrets and keeps the licence', async () => {
    fs.writeFileSync(`${root}/.env`, 'KEY=1')
    expect(session.fs.existsSync('.env')).toBe(false)
    await session.selectIntent('INT-010')
    expect(await reasonOf('LICENSE')).toBe('access_denied')
  })
})
