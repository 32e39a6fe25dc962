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
  const project = testWorkspace({ 'src/price.ts': CODE, 'src/old.ts': CODE, 'docs/a.md': '# A\n' })
  project.write('.orchestration/policy.yaml', POLICY)
  initRepository(project.root)
  project.write('src/price.ts', CODE.replaceAll('tax', 'vat'))
  project.write('docs/a.md', '# A\n\nMore.\n')
  project.write('src/new.ts', 'export const a = 1\n')
  rmSync(`${project.root}/src/old.ts`)
  symlinkSync('a.md', `${project.root}/docs/link.md`)
  writeFileSync(`${project.root}/docs/b.md`, Buffer.from([0xff, 0, 1]))
  commitAll(project.root)
  const workspace = await project.open()
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
