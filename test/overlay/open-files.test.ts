import fs from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RelPath } from '../../overlay/index.js'
import type { OpenFile } from '../../overlay/open-file.js'
import { createBareFacade, tempDir } from '../support/facade.js'

/** Open files keep their names through every edit: the index returns the same as a check of each of them. */

let dir: ReturnType<typeof tempDir>
beforeAll(() => {
  dir = tempDir()
})
afterAll(() => dir.dispose())

const NAMES = ['a', 'b', 'a/a', 'a/b', 'b/a', 'a/a/a', 'a/b/a']
const name = fc.constantFrom(...NAMES)
const step = fc.oneof(
  fc.record({ op: fc.constant('open' as const), path: name }),
  fc.record({ op: fc.constant('move' as const), path: name, to: name }),
  fc.record({ op: fc.constantFrom('file' as const, 'dir' as const, 'remove' as const, 'close' as const), path: name }),
)

type Step = { op: 'open' | 'move' | 'file' | 'dir' | 'remove' | 'close'; path: string; to?: string }

/** The current name of a host's descriptor, from the kernel. */
const nameOf = (root: string, fd: number) => {
  const link = fs.readlinkSync(`/proc/self/fd/${fd}`)
  return link.endsWith(' (deleted)') ? undefined : link.slice(root.length + 1)
}

const attempt = (run: () => void) => {
  try {
    run()
  } catch {
    // Both sides refuse it: the comparison of names below shows whether they agree.
  }
}

it.runIf(process.platform === 'linux')("open files keep their current names as the kernel's descriptors do", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps: Step[]) => {
      const real = fs.mkdtempSync(`${dir.path}/real-`)
      const { overlay } = createBareFacade(fs.mkdtempSync(`${dir.path}/lower-`))
      let open: { file: OpenFile; fd: number }[] = []
      for (const { op, path, to = '' } of steps) {
        const [at, there] = [path as RelPath, to as RelPath]
        if (op === 'open') {
          attempt(() => open.push({ fd: fs.openSync(`${real}/${path}`, 'r'), file: overlay.open(at) }))
        } else if (op === 'close') {
          for (const { fd, file } of open.splice(0, 1)) {
            fs.closeSync(fd)
            file.close()
          }
        } else if (op === 'file') {
          attempt(() => fs.writeFileSync(`${real}/${path}`, 'x'))
          attempt(() => overlay.put(at, Buffer.from('x')))
        } else if (op === 'dir') {
          attempt(() => fs.mkdirSync(`${real}/${path}`))
          attempt(() => overlay.mkdir(at, 0o755))
        } else if (op === 'remove') {
          const isDir = overlay.typeOf(at) === 'dir'
          attempt(() => (isDir ? fs.rmdirSync(`${real}/${path}`) : fs.unlinkSync(`${real}/${path}`)))
          attempt(() => overlay.remove(at))
        } else {
          attempt(() => fs.renameSync(`${real}/${path}`, `${real}/${to}`))
          attempt(() => overlay.move(at, there))
        }
        expect(open.map(({ file }) => file.path)).toEqual(open.map(({ fd }) => nameOf(real, fd)))
      }
      for (const { fd, file } of open) {
        fs.closeSync(fd)
        file.close()
      }
      open = []
    }),
    { numRuns: 200 },
  )
})
