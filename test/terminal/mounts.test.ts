import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { testWorkspace } from '../support/workspace.js'

it('a workspace with a mount in it is none commands are contained in, by name; on a copy they see all of it', () => {
  const { root } = testWorkspace({ 'src/a': 'a\n', 'src/deep/below': 'b\n' })
  const script = 'mount -t tmpfs none "$1/src/deep" && echo mounted > "$1/src/deep/f" && exec "$2" "$3" "$1"'
  const child = `${compileOnce()}/test/children/mount-within.js`
  const args = ['-Urm', 'sh', '-c', script, 'sh', root, process.execPath, child]
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  const [contained, copied, changes] = stdout.split('\n')
  expect(contained).toContain(
    `unsupported: EscrowError: This machine cannot contain commands (mounts): ${root}/src/deep is`,
  )
  expect([copied, changes]).toEqual(['none: mounted', 'delete src/deep/f'])
})
