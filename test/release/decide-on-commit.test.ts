import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { commitAll, initRepository } from '../support/git.js'
import { testWorkspace } from '../support/workspace.js'

const CODE = 'export function price(amount: number): number {\n  const tax = amount * 0.19\n  return amount + tax\n}\n'
const POLICY = `approval:
  auto:
    tiers:
      - { name: docs, paths: ["docs/**"], classes: [documentation], max_files: 5, max_lines: 50 }
      - { name: refactor, paths: ["src/**"], classes: [refactor], max_files: 5, max_lines: 50 }
`

it('decides on the changes of a git commit as on staged ones', async () => {
  const at = testWorkspace({ 'src/price.ts': CODE, 'src/old.ts': CODE, 'docs/a.md': '# A\n' })
  at.write('.orchestration/policy.yaml', POLICY)
  initRepository(at.root)
  at.write('src/price.ts', CODE.replaceAll('tax', 'vat'))
  at.write('docs/a.md', '# A\n\nMore.\n')
  at.write('src/new.ts', 'export const a = 1\n')
  rmSync(`${at.root}/src/old.ts`)
  symlinkSync('a.md', `${at.root}/docs/link.md`)
  writeFileSync(`${at.root}/docs/b.md`, Buffer.from([0xff, 0, 1]))
  commitAll(at.root)
  const workspace = await at.open()
  const tiers = async (commit: string) =>
    Object.fromEntries((await workspace.testRelease(commit)).map(({ path, tier = '-' }) => [path, tier]))
  expect(await tiers('HEAD')).toEqual({
    'docs/a.md': 'docs',
    'docs/b.md': '-',
    'docs/link.md': '-',
    'src/new.ts': '-',
    'src/old.ts': '-',
    'src/price.ts': 'refactor',
  })
  expect(Object.keys(await tiers('HEAD^'))).toContain('src/old.ts')
  await expect(workspace.testRelease('nowhere')).rejects.toMatchObject({ reason: 'unsupported' })
  await expect(workspace.testRelease('--all')).rejects.toMatchObject({ reason: 'unsupported' })
})
