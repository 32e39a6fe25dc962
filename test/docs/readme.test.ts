import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HANDLE_OPS, type HandleRow } from '../../src/fs/handle-ops.js'
import { OPS, type Row } from '../../src/fs/ops.js'
import { blocksOf, fileOf, says, settled, stepsOf } from './readme-blocks.js'

const project = fileURLToPath(new URL('../../', import.meta.url))
const readme = fs.readFileSync(`${project}README.md`, 'utf8')
const blocks = blocksOf(readme)

let home = ''
beforeAll(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'escrowfs-readme-')))
  installPackage(home)
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

/** The package as a reader installs it, built from the source as it is now, and `escrow` where npm puts it. */
function installPackage(dir: string): void {
  const place = `${dir}/node_modules/escrowfs`
  fs.mkdirSync(`${dir}/node_modules/.bin`, { recursive: true })
  fs.mkdirSync(place)
  fs.copyFileSync(`${project}package.json`, `${place}/package.json`)
  fs.symlinkSync(`${project}node_modules`, `${place}/node_modules`)
  const tsc = [`${project}node_modules/typescript/bin/tsc`, '-p', `${project}tsconfig.build.json`]
  const built = spawnSync(process.execPath, [...tsc, '--noCheck', '--sourceMap', 'false', '--outDir', `${place}/dist`])
  if (built.status !== 0) throw new Error(`The package could not be built: ${built.stdout}`)
  const { bin } = JSON.parse(fs.readFileSync(`${place}/package.json`, 'utf8')) as { bin: { escrow: string } }
  fs.chmodSync(`${place}/${bin.escrow}`, 0o755)
  fs.symlinkSync(`../escrowfs/${bin.escrow}`, `${dir}/node_modules/.bin/escrow`)
}

/** A shell that goes on where the last command left it. */
function shell(): (command: string) => string {
  let cwd = home
  const env = { ...process.env, PATH: `${home}/node_modules/.bin:${process.env.PATH}`, NO_COLOR: '1' }
  return (command) => {
    const ran = spawnSync('bash', ['-c', `${command}\nstatus=$?; pwd >&3; exit $status`], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    expect(ran.stderr, command).toBe('')
    expect(ran.status, command).toBe(0)
    cwd = String(ran.output[3]).trimEnd()
    return ran.stdout
  }
}

describe('the README', () => {
  it('does what it says, typed from top to bottom', () => {
    const type = shell()
    const write = (file: string, text: string) => fs.writeFileSync(path.join(type('pwd').trimEnd(), file), text)
    for (const block of blocks) {
      if (block.language === 'sh') continue
      if (block.language !== 'console') {
        write(fileOf(block), block.text)
        continue
      }
      for (const { command, output } of stepsOf(block)) {
        const [shown, printed] = [settled(output, home), settled(type(command), home)]
        if (!says(shown, printed)) expect(printed, `line ${block.line}: ${command}`).toBe(shown)
      }
    }
  })

  it('has no block that nothing tries', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js', 'sh', 'yaml'])
    const { scripts } = JSON.parse(fs.readFileSync(`${project}package.json`, 'utf8')) as {
      scripts: Record<string, string>
    }
    const lines = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim())
    expect(lines).toEqual(['npm ci && npm run demo', 'npm ci && npm test'])
    expect(scripts).toHaveProperty('demo')
    expect(scripts).toHaveProperty('test')
  })

  it('names every function of node:fs that is refused, and no other', () => {
    const rows = [...readme.matchAll(/^\| ([^|]+?) +\| (`.*) \|$/gm)].map(([, row = '', names = '']) => ({
      row,
      names,
    }))
    // Rows of other things than functions of node:fs are somebody's: a session's, a review's.
    const named = (isWanted: (row: string) => boolean) =>
      rows
        .flatMap(({ row, names }) => (isWanted(row) ? [...names.matchAll(/`(\w+)`/g)].map((match) => match[1]) : []))
        .sort()
    const refused = (table: Record<string, Row | HandleRow>) =>
      Object.keys(table).filter((name) => table[name]?.kind === 'refused' && !name.startsWith('_'))
    expect(named((row) => !row.endsWith("'s"))).toEqual(refused(OPS).sort())
    // A handle's utimes is the op futimes, which the table refuses.
    expect(named((row) => row === "a file handle's")).toEqual([...refused(HANDLE_OPS), 'utimes'].sort())
  })

  it("has the check run its test command word for word, and the demo's numbers right", () => {
    expect(fs.readFileSync(`${project}.ci/run`, 'utf8')).toContain('npm ci && npm test')
    const steps = fs
      .readdirSync(`${project}examples/transcripts`)
      .flatMap((name) => fs.readFileSync(`${project}examples/transcripts/${name}`, 'utf8').trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as { tool?: string; expect?: { outcome?: string } })
      .filter(({ tool }) => tool !== undefined)
    const count = (outcome: string) => steps.filter((step) => step.expect?.outcome === outcome).length
    const text = readme.replace(/\s+/g, ' ')
    expect(text).toContain(`${steps.length} tool calls`)
    expect(text).toContain(
      `${count('ok')} calls are done, ${count('denied')} are refused with a reason, ${count('error')} fail by themselves`,
    )
  })
})

describe('what stands for any lines', () => {
  it('is only three dots on a line of their own', () => {
    expect(says('a\n...\nd\n', 'a\nb\nc\nd\n')).toBe(true)
    expect(says('a\n...\nd\n', 'a\nb\nc\n')).toBe(false)
    expect(says('a...\n', 'abcd\n')).toBe(false)
    expect(says('(1.)\n', '(1x)\n')).toBe(false)
  })
})
