import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { compileOnce } from '../support/compiled.js'
import { testWorkspace } from '../support/workspace.js'

it('a workspace that contains a mount gets a copy without namespaces, which shows all of it; else it is refused by name', async () => {
  const { root } = testWorkspace({ 'src/a': 'a\n', 'src/deep/below': 'b\n' })
  const script = 'mount -t tmpfs none "$1/src/deep" && echo mounted > "$1/src/deep/f" && exec "$2" "$3" "$1"'
  const child = `${compileOnce()}/test/children/mount-within.js`
  const args = ['-Urm', 'sh', '-c', script, 'sh', root, process.execPath, child]
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  const [contained, copied, changes] = stdout.split('\n')
  const alone = await CONTAINMENTS.find(({ tree, unfit }) => tree === 'copy' && unfit === undefined)?.attempt()
  if (alone?.works) expect([contained, copied]).toEqual(['sandbox: mounted', 'sandbox: '])
  else {
    expect(contained).toContain('unsupported: EscrowError: This machine cannot contain commands (mounts): ')
    expect(contained).toContain(`${root}/src/deep is`)
    expect(copied).toBe('none: mounted')
  }
  expect(changes).toBe('delete src/deep/f')
})
