import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'

it('a new file that cannot be written in full, as on a full disk, is removed', () => {
  const { path, dispose } = tempDir()
  const script = `
    import { createDurable } from '${compileOnce()}/src/os/write.js'
    try {
      createDurable(process.argv[1], 'x'.repeat(8192))
    } catch (error) {
      console.log(error.message)
    }`
  try {
    // The kernel refuses the rest of a write beyond this limit.
    const limited = ['-c', 'ulimit -f 1 && exec "$0" --input-type=module -e "$1" "$2"', process.execPath, script]
    const { stdout } = spawnSync('bash', [...limited, `${path}/new`], { encoding: 'utf8' })
    expect(stdout).toBe(`EFBIG: file too large, write '${path}/new'\n`)
    expect(readdirSync(path)).toEqual([])
  } finally {
    dispose()
  }
})
