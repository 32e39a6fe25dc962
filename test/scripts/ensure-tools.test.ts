import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ensure = (path: string | undefined) =>
  spawnSync(process.execPath, ['scripts/ensure-tools.mjs', 'git', 'bwrap'], {
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
  })

it('prints nothing if all programs are installed', () => {
  expect(ensure(process.env.PATH)).toMatchObject({ status: 0, stdout: '', stderr: '' })
})

it('prints the packages to install if it cannot install them', () => {
  const empty = mkdtempSync(join(tmpdir(), 'escrowfs-no-tools-'))
  const { status, stderr } = ensure(empty)
  rmSync(empty, { recursive: true })
  expect(status).toBe(1)
  expect(stderr).toContain('apt-get install git bubblewrap')
})
