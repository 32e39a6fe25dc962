import { expect, it, onTestFinished, vi } from 'vitest'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { tempDir } from '../support/facade.js'

let isFolding = false

// Simulates a workspace on a file system that ignores case, as APFS or NTFS in a virtual machine.
vi.mock('../../overlay/index.js', async (load) => ({
  ...(await load<typeof import('../../overlay/index.js')>()),
  foldsNames: (dir: string) => isFolding && dir.endsWith('/.orchestration'),
}))

it('commands run on a copy, not in overlayfs, where the file system of the workspace ignores case', () => {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  const unfit = () => CONTAINMENTS.flatMap((each) => (each.unfit?.({ root }) ? [each.name] : []))
  expect(unfit()).toEqual([])
  isFolding = true
  expect(unfit()).toEqual(['namespace-overlay'])
  const [overlay] = CONTAINMENTS
  expect(overlay?.unfit?.({ root })).toMatchObject({
    what: 'file names',
    problem: `The file system of ${root} ignores case, which overlayfs does not.`,
  })
})
