import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { classify } from '../../src/change-class/classify.js'
import { project } from '../docs/reader.js'

/** The other choice of each setting of this project. */
const OTHER_SETTINGS = {
  formatter: { indentStyle: 'tab', lineWidth: 80 },
  javascript: {
    formatter: { quoteStyle: 'double', semicolons: 'always', trailingCommas: 'none', arrowParentheses: 'asNeeded' },
  },
}

/** Real code: the sources of this directory, and of the one with the most syntax. */
const FOLDERS = ['src/trace', 'src/fs', 'src/review']

it('classifies nearly all reformatted real code as a refactoring', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'escrowfs-format-'))
  try {
    writeFileSync(join(dir, 'biome.json'), JSON.stringify({ root: true, ...OTHER_SETTINGS }))
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(join(project, folder)).flatMap((name) => (name.endsWith('.ts') ? [join(project, folder, name)] : [])),
    )
    const copies = files.map((file, n) => ({ file, copy: join(dir, `${n}.ts`) }))
    for (const { file, copy } of copies) writeFileSync(copy, readFileSync(file))
    execFileSync(join(project, 'node_modules/.bin/biome'), ['format', '--write', '.'], { cwd: dir, stdio: 'pipe' })
    const missed: string[] = []
    for (const { file, copy } of copies) {
      const [before, after] = [readFileSync(file), readFileSync(copy)]
      expect(after.equals(before), file).toBe(false)
      const found = await classify({ path: 'a.ts', before, after })
      if (found.class !== 'AST_REFACTOR') missed.push(`${file.slice(project.length)}: ${found.rule} ${found.detail}`)
    }
    expect(copies.length).toBeGreaterThan(60)
    // A few remain uncertain, and are classified as an evolution.
    expect(missed.length / copies.length, missed.join('\n')).toBeLessThan(0.05)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
