import { appendFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rebuildMap } from '../../src/history/intent-map.js'
import type { Session } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openLedger } from '../../src/trace/index.js'
import { startSession, testWorkspace } from '../support/workspace.js'

const INTENTS = `active_intents:
  - id: INT-001
    name: Prices
    status: IN_PROGRESS
    owned_scope: ["src/**"]
    constraints: [Integers only]
  - id: INT-002
    name: Mail
    status: PENDING
    owned_scope: ["src/**"]
    depends_on: []
  - id: INT-003
    name: Later
    status: PENDING
    owned_scope: ["later/**"]
    depends_on: [INT-001]
`

const CODE = 'export function a() {\n  return 1\n}\n\nexport class B {\n  c() {\n    return 2\n  }\n}\n'
const MAP = '.orchestration/intent_map.md'
const day = new Date().toISOString().slice(0, 10)

const place = (files: Record<string, string> = {}) => testWorkspace({ 'src/z.txt': '', ...files }, INTENTS)

async function commitFiles(
  workspace: Awaited<ReturnType<ReturnType<typeof place>['open']>>,
  work: (fs: Session['fs']) => void,
  intent = 'INT-001',
) {
  const session = await startSession(workspace, `s-${intent}`, intent)
  // Earlier commits are part of the disk.
  await session.flush()
  work(session.fs)
  const review = await workspace.review(session.id)
  await review.approve()
  return review.commit()
}

describe('the intent map', () => {
  it('is written after a commit, with the functions of each file and their lines', async () => {
    const project = place()
    const result = await commitFiles(await project.open(), (fs) => fs.writeFileSync('src/a.ts', CODE))
    expect(result.warnings).toBeUndefined()
    expect(project.text(MAP)).toBe(`# Intent Map

<!-- notes: what is written from here to the end of notes stays -->
<!-- end of notes -->

## INT-001: Prices

**Status:** IN_PROGRESS  
**Scope:** \`src/**\`

**Constraints:** Integers only

| File | AST Nodes | Last Modified |
| --- | --- | --- |
| src/a.ts | a() 1-3, B 5-9, B.c() 6-8 | ${day} |

**Dependencies:** None  
**Blocks:** INT-003 (Later)

<!-- notes: what is written from here to the end of notes stays -->
<!-- end of notes -->

## INT-002: Mail

**Status:** PENDING  
**Scope:** \`src/**\`

| File | AST Nodes | Last Modified |
| --- | --- | --- |

**Dependencies:** None  
**Blocks:** None

<!-- notes: what is written from here to the end of notes stays -->
<!-- end of notes -->

## INT-003: Later

**Status:** PENDING  
**Scope:** \`later/**\`

| File | AST Nodes | Last Modified |
| --- | --- | --- |

**Dependencies:** INT-001 (Prices)  
**Blocks:** None

<!-- notes: what is written from here to the end of notes stays -->
<!-- end of notes -->
`)
  })

  it('assigns changed functions to the intent, and moves the lines of the others', async () => {
    const project = place()
    const workspace = await project.open()
    await commitFiles(workspace, (fs) => fs.writeFileSync('src/a.ts', CODE))
    await commitFiles(
      workspace,
      (fs) => fs.writeFileSync('src/a.ts', `\n\n${CODE.replace('return 2', 'return 3')}`),
      'INT-002',
    )
    expect(rows(project.text(MAP))).toEqual([
      `| src/a.ts | a() 3-5, B 7-11, B.c() 8-10 | ${day} |`,
      `| src/a.ts | B 7-11, B.c() 8-10 | ${day} |`,
    ])
    await commitFiles(workspace, (fs) => fs.renameSync('src/a.ts', 'src/b.ts'))
    expect(rows(project.text(MAP)).map((row) => row.slice(2, 10))).toEqual(['src/b.ts', 'src/b.ts'])
    await commitFiles(workspace, (fs) => fs.rmSync('src/b.ts'))
    expect(rows(project.text(MAP))).toEqual([])
  })

  it("keeps a person's notes between the markers, and changes only lines that differ", async () => {
    const project = place()
    const workspace = await project.open()
    await commitFiles(workspace, (fs) => fs.writeFileSync('src/a.ts', CODE))
    const noted = project.text(MAP).replaceAll('stays -->\n', 'stays -->\nAsk Ada.\n\n| not | a | row |\n')
    project.write(MAP, noted)
    await commitFiles(workspace, (fs) => fs.writeFileSync('src/y.py', 'def f():\n    pass\n'))
    expect(project.text(MAP)).toBe(noted.replace(/(\| src\/a\.ts .*\n)/, `$1| src/y.py | f() 1-2 | ${day} |\n`))
    expect(await workspace.mapIntents()).toBe(project.text(MAP))
  })

  it('is rebuilt from the ledger when it is missing', async () => {
    const project = place()
    const workspace = await project.open()
    await commitFiles(workspace, (fs) => fs.writeFileSync('src/a.ts', CODE))
    await commitFiles(workspace, (fs) => fs.writeFileSync('src/a.ts', CODE.replace('return 2', 'return 3')), 'INT-002')
    const before = project.text(MAP)
    rmSync(`${project.root}/${MAP}`)
    expect(await workspace.mapIntents()).toBe(before)
    expect(project.text(MAP)).toBe(before)
  })

  it('is rebuilt if files are empty, links or missing', async () => {
    const project = place()
    const workspace = await project.open()
    await commitFiles(workspace, (fs) => {
      fs.writeFileSync('src/bytes', Buffer.from([0, 1, 2]))
      fs.writeFileSync('src/empty.ts', '')
      for (const name of ['moved', 'gone', 'kept']) fs.writeFileSync(`src/${name}.ts`, CODE)
    })
    for (const name of ['moved', 'gone']) rmSync(`${project.root}/src/${name}.ts`)
    symlinkSync('kept.ts', `${project.root}/src/moved.ts`)
    await workspace.mapIntents()
    expect(rows(project.text(MAP))).toEqual([
      `| src/bytes | - | ${day} |`,
      `| src/empty.ts | - | ${day} |`,
      `| src/kept.ts | a() 1-3, B 5-9, B.c() 6-8 | ${day} |`,
    ])
  })

  it('is merged after a git merge, with the notes of both', async () => {
    const project = place()
    const workspace = await project.open()
    await commitFiles(workspace, (fs) => fs.writeFileSync('src/a.ts', CODE))
    const end = '<!-- end of notes -->'
    const [top = '', ...rest] = project.text(MAP).split('## ')
    const withNotes = (text: string) =>
      rest.map((part) => `## ${part.replace(end, `${text} ${part.slice(0, 7)}\n${end}`)}`)
    project.write(MAP, top + [...withNotes('ours'), ...withNotes('theirs')].join(''))
    const text = await workspace.mapIntents()
    expect(text.match(/## INT-001/g)).toHaveLength(1)
    expect(text.match(/\| src\/a\.ts \|/g)).toHaveLength(1)
    for (const id of ['INT-001', 'INT-002']) expect(text).toContain(`ours ${id}\ntheirs ${id}\n${end}`)
    expect(await workspace.mapIntents()).toBe(text)
  })

  it('never fails a commit, which reports the failure', async () => {
    const project = place()
    project.write(MAP, 'my own file\n')
    const result = await commitFiles(await project.open(), (fs) => fs.writeFileSync('src/a.ts', CODE))
    expect(result).toMatchObject({
      committed: ['src/a.ts'],
      warnings: [expect.stringContaining('was not written by escrow')],
    })
    expect(project.text(MAP)).toBe('my own file\n')
    await expect((await project.open()).mapIntents()).rejects.toMatchObject({ reason: 'unsupported' })
  })

  it('stays unchanged while the registry cannot be read', async () => {
    const project = place()
    const workspace = await project.open()
    await commitFiles(workspace, (fs) => fs.writeFileSync('src/a.ts', CODE))
    const before = project.text(MAP)
    project.write('.orchestration/active_intents.yaml', 'active_intents: {')
    await expect(workspace.mapIntents()).rejects.toMatchObject({ reason: 'policy_invalid' })
    expect(project.text(MAP)).toBe(before)
  })

  it('keeps any file name in its cell', async () => {
    const project = place()
    const workspace = await project.open()
    const names = ['src/a|b.ts', 'src/<!-- end of notes -->', 'src/c\nd.ts', 'src/e\\|f.ts']
    await commitFiles(workspace, (fs) => {
      for (const name of names) fs.writeFileSync(name, 'export const x = () => 1\n')
    })
    const first = project.text(MAP)
    expect(rows(first)).toHaveLength(4)
    expect(first.match(/<!-- end of notes -->/g)).toHaveLength(4)
    await commitFiles(workspace, (fs) => fs.rmSync(names[0] ?? ''))
    expect(rows(project.text(MAP))).toHaveLength(3)
  })

  it('accepts only valid intent ids and days from records', async () => {
    const project = place({ 'src/![a](b).ts': CODE })
    const workspace = await project.open()
    await commitFiles(workspace, (fs) => fs.writeFileSync('src/a.ts', CODE))
    const record = (intent: string, timestamp: string, path = 'src/a.ts') =>
      JSON.stringify({ timestamp, files: [{ path, related: [{ type: 'specification', value: intent }] }] })
    const hostile = [
      record('X\n\n<script>alert(1)</script>', '2026-01-01T00:00:00Z', 'src/![a](b).ts'),
      record('INT-009', '|<b>2026-0', 'src/![a](b).ts'),
      record('INT-007', '2026-01-01T00:00:00Z', 'src/![a](b).ts'),
    ]
    appendFileSync(`${project.root}/.orchestration/agent_trace.jsonl`, hostile.map((line) => `${line}\n`).join(''))
    const text = await workspace.mapIntents()
    expect(text).not.toMatch(/script|<b>|INT-009/)
    expect(text).not.toContain('![a]')
  })

  it('is not written once another process has taken the lock', async () => {
    const project = place()
    const workspace = await project.open()
    await commitFiles(workspace, (fs) => fs.writeFileSync('src/a.ts', CODE))
    const [layout, theirs] = [layoutAt(project.root), '# Intent Map\n\nTheirs\n']
    const intents = () => {
      writeFileSync(`${layout.locks}/intent_map.holder`, JSON.stringify({ nonce: 'other' }))
      writeFileSync(`${project.root}/${MAP}`, theirs)
      return { ok: true, version: 0, intents: new Map() } as const
    }
    await expect(rebuildMap({ layout, intents }, openLedger(layout))).rejects.toMatchObject({ reason: 'session_busy' })
    expect(project.text(MAP)).toBe(theirs)
  })
})

function rows(map: string): string[] {
  return map.split('\n').filter((line) => line.startsWith('| src/'))
}
