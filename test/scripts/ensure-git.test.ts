import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ensureGit = (path: string | undefined) =>
  spawnSync(process.execPath, ['scripts/ensure-git.mjs'], { env: { ...process.env, PATH: path }, encoding: 'utf8' })

it('is silent where git is there', () => {
  expect(ensureGit(process.env.PATH)).toMatchObject({ status: 0, stdout: '', stderr: '' })
})

it('says what to install where git is missing and cannot be installed', () => {
  const empty = mkdtempSync(join(tmpdir(), 'escrowfs-no-git-'))
  const { status, stderr } = ensureGit(empty)
  rmSync(empty, { recursive: true })
  expect(status).toBe(1)
  expect(stderr).toContain('apt-get install git')
})
