import { generateKeyPairSync } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeSigningKey } from '../../src/surface/index.js'
import { trust } from '../support/trust.js'
import { append, check, copyOf, LEDGER, newSignedRepository, type Repository, sha256 } from './repository.js'

describe('signatures', () => {
  let template = ''
  beforeAll(async () => {
    template = await newSignedRepository((pr) => pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n')))
  })
  afterAll(() => rmSync(template, { recursive: true, force: true }))

  it('of new commits must be by a key of the target branch', async () => {
    const pr = copyOf(template)
    const { XDG_STATE_HOME: before } = process.env
    const { problems, signed: checkpoints } = await check(pr, { keys: 'keys' })
    expect([problems, checkpoints, process.env.XDG_STATE_HOME]).toEqual([[], 2, before])
  })

  it('are missing after a forged record with a valid chain', async () => {
    const pr = copyOf(template)
    const lines = pr.ledger()
    const last = lines.at(-1) ?? ''
    const metadata = { ...JSON.parse(last).metadata['dev.escrowfs'], type: 'commit', prev: sha256(last) }
    metadata.seq++
    const forged = { ...JSON.parse(last), id: 'forged', metadata: { 'dev.escrowfs': metadata } }
    append(pr.root, LEDGER, `${JSON.stringify(forged)}\n`)
    pr.commit()
    expect((await check(pr)).problems).toEqual([])
    expect((await check(pr, { keys: 'keys' })).problems).toEqual([
      'Not every new commit of the ledger is signed by a key of the target branch.',
    ])
  })

  it('count by the current keys of the target branch, whatever the pull request began from', async () => {
    const pr = copyOf(template)
    pr.git('checkout', '-q', 'main')
    pr.git('mv', 'keys', 'later')
    pr.commit('Move the key')
    pr.git('checkout', '-q', 'work')
    expect((await check(pr, { keys: 'later' })).problems).toEqual([])
    await expect(check(pr, { keys: 'keys' })).rejects.toThrow('The target branch has no NAME.pub.pem in keys.')
  })

  describe('after another key has replaced the first on the base', () => {
    /** Makes a key, which replaces the base's in `keys`. */
    const replaceKey = (pr: Repository) => {
      const state = mkdtempSync(join(tmpdir(), 'escrowfs-state-'))
      onTestFinished(() => rmSync(state, { recursive: true, force: true }))
      onTestFinished(() => void vi.unstubAllEnvs())
      vi.stubEnv('XDG_STATE_HOME', state)
      const { file } = makeSigningKey()
      trust(pr.root)
      pr.git('checkout', '-q', 'main')
      pr.git('merge', '-q', '--ff-only', 'work')
      copyFileSync(join(file, '..', 'own.pub.pem'), join(pr.root, 'keys', 'ada.pub.pem'))
      pr.commit('Replace the key')
      pr.git('checkout', '-q', '-b', 'next')
      return file
    }

    it('count for records of the base, and new commits need the new key', async () => {
      const pr = copyOf(template)
      replaceKey(pr)
      await pr.agent(({ fs }) => fs.writeFileSync('src/b.ts', 'y\n'))
      expect((await check(pr, { keys: 'keys' })).problems).toEqual([])
    })

    it('by an unknown key count as little as by the first key', async () => {
      const pr = copyOf(template)
      const file = replaceKey(pr)
      rmSync(file)
      await pr.agent(({ fs }) => fs.writeFileSync('src/b.ts', 'y\n'))
      expect((await check(pr, { keys: 'keys' })).problems).toEqual([
        'Not every new commit of the ledger is signed by a key of the target branch.',
      ])
    })

    it('by the first key do not count for new commits', async () => {
      const pr = copyOf(template)
      pr.git('checkout', '-q', 'main')
      const { publicKey } = generateKeyPairSync('ed25519')
      writeFileSync(join(pr.root, 'keys', 'ada.pub.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
      pr.commit('Replace the key')
      pr.git('checkout', '-q', 'work')
      expect((await check(pr, { keys: 'keys' })).problems).toEqual([
        'Not every new commit of the ledger is signed by a key of the target branch.',
      ])
    })
  })

  it('are invalid by a key that the pull request adds', async () => {
    const pr = copyOf(template)
    await expect(check(pr, { keys: 'other-keys' })).rejects.toThrow(
      'The target branch has no NAME.pub.pem in other-keys.',
    )
  })
})
