import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { initRepository } from '../support/git.js'
import { testWorkspace } from '../support/workspace.js'

/** Programs before `|` that write later than escrow reads, as `git log` of a long history. */
it.each([
  ['verify --heads -', 0, ''],
  ['adopt --hook post-rewrite rebase', 0, ''],
  ['remote add http://127.0.0.1:9', 1, 'escrow: There is no token.'],
])('`escrow %s` waits for a slow writer on its stdin', (command, status, message) => {
  const project = testWorkspace()
  initRepository(project.root)
  const main = join(compileOnce(), 'src/cli/main.js')
  const pipeline = `(sleep 1; echo) | '${process.execPath}' '${main}' ${command}`
  const { ESCROW_HUB_TOKEN, ...env } = process.env
  const done = spawnSync('sh', ['-c', pipeline], { cwd: project.root, env, encoding: 'utf8' })
  expect([done.status, done.stderr.slice(0, message.length || undefined)]).toEqual([status, message])
})
