import fc from 'fast-check'
import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import { oneLine, printable } from '../../src/cli/printable.js'
import { renderChangeSet } from '../../src/cli/render-diff.js'
import type { Change } from '../../src/core/api.js'

const plain = picocolors.createColors(false)
const base: Change = {
  path: 'src/a.ts',
  kind: 'modify',
  before: 'sha256:1',
  after: 'sha256:2',
  hunks: [
    {
      id: 'h_0123456789abcdef',
      oldStart: 1,
      oldLines: 2,
      newStart: 1,
      newLines: 2,
      text: '@@ -1,2 +1,2 @@\n k\n-a\n+b\n',
      state: 'pending',
    },
  ],
  state: 'pending',
  flags: [],
}
const STYLE = { order: 'step', work: [], unfold: false } as const
const render = (change: Partial<Change>, colors = plain) =>
  renderChangeSet({ digest: 'sha256:3', changes: [{ ...base, ...change }] }, colors, STYLE)

describe('renderChangeSet', () => {
  it('shortens the very long command of a step, and keeps its exit state', () => {
    const work = [
      { kind: 'call', callId: 'c', tool: 'exec' },
      { kind: 'command', callId: 'c', command: 'x'.repeat(1000), end: 3 },
    ] as const
    const set = { digest: 'sha256:3', changes: [{ ...base, calls: ['c'] }] }
    const text = renderChangeSet(set, plain, { ...STYLE, work })
    expect(text).toContain(
      `\n   ran ${'x'.repeat(400)} … 600 more characters, all of them in 'escrow log --json': exit 3\n`,
    )
  })

  const renderWithScript = (lines: readonly string[]) => {
    const work = [
      { kind: 'call', callId: 'c', tool: 'exec' },
      { kind: 'command', callId: 'c', command: lines.join('\n'), end: 0 },
    ] as const
    return renderChangeSet({ digest: 'sha256:3', changes: [{ ...base, calls: ['c'] }] }, plain, { ...STYLE, work })
  }

  it('shows each line of a script indented below its step, and no control character', () => {
    expect(renderWithScript(['sh -c set -e', '# src/x  modify  approved', "printf '\x1b[2J\r'"])).toContain(
      "\n   ran 3 lines: exit 0\n     sh -c set -e\n     # src/x  modify  approved\n     printf '^[[2J^M'\n",
    )
  })

  it('counts the lines of a long script that it leaves out', () => {
    const many = renderWithScript(Array.from({ length: 20 }, (_, index) => `line ${index}`))
    expect(many).toContain("\n     line 7\n     … 12 more lines, all of them in 'escrow log --json'\n")
    const wide = renderWithScript(['a'.repeat(500), 'b', 'c'])
    expect(wide).toContain(`\n     ${'a'.repeat(400)} … 100 more characters, all of them in 'escrow log --json'\n`)
    expect(wide).toContain("\n     … 2 more lines, all of them in 'escrow log --json'\n")
  })

  it('shows a change as git does, under its state and flags', () => {
    const text = render({ state: 'rejected', flags: ['drifted', 'protected'], intentId: 'INT-001' })
    expect(text).toBe(
      [
        '== Protected paths ==',
        '',
        '# src/a.ts  modify  rejected  changed on disk  protected  INT-001',
        '! protected: by policy.yaml, or as part of a git repository',
        'diff --git a/src/a.ts b/src/a.ts',
        '--- a/src/a.ts',
        '+++ b/src/a.ts',
        '@@ -1,2 +1,2 @@ 0123 pending',
        ' k',
        '-a',
        '+b',
        '',
        '1 change. Change set sha256:3',
        '',
      ].join('\n'),
    )
  })

  it('names the first tool calls and counts the rest', () => {
    const calls = (count: number) => Array.from({ length: count }, (_, n) => `call-${n}`)
    const headline = (count: number) => /^# .*$/m.exec(render({ intentId: 'INT-001', calls: calls(count) }))?.[0]
    expect(headline(1)).toBe('# src/a.ts  modify  pending')
    expect(headline(4)).toBe('# src/a.ts  modify  pending  call-1  call-2  call-3')
    expect(headline(170)).toBe('# src/a.ts  modify  pending  call-1  call-2  call-3  and 166 more calls')
  })

  it('prints the headers of creations, deletions, moves, modes, links and binaries', () => {
    const header = (change: Partial<Change>) => render(change).split('\n').slice(4, 8).join('\n')
    expect(header({ before: null, mode: { before: null, after: 0o755 } })).toContain(
      'new file mode 100755\n--- /dev/null\n+++ b/src/a.ts',
    )
    expect(header({ after: null, mode: { before: 0o644, after: null } })).toContain(
      'deleted file mode 100644\n--- a/src/a.ts\n+++ /dev/null',
    )
    expect(header({ from: 'old.ts', kind: 'rename' })).toContain(
      'rename from old.ts\nrename to src/a.ts\n--- a/old.ts\n+++ b/src/a.ts',
    )
    expect(header({ hunks: [], mode: { before: 0o644, after: 0o755 } })).toContain('old mode 100644\nnew mode 100755\n')
    expect(header({ before: null, flags: ['symlink'], mode: { before: null, after: 0o777 } })).toContain('mode 120000')
    expect(header({ hunks: [], flags: ['binary'] })).toContain('Binary files a/src/a.ts and b/src/a.ts differ')
  })

  it('colours only on request', () => {
    expect(render({})).not.toContain('\u001b')
    const colored = render({}, picocolors.createColors(true))
    for (const line of ['\u001b[31m-a', '\u001b[32m+b', '\u001b[36m@@']) expect(colored).toContain(line)
  })

  it('lets no content, path or flag control the terminal', () => {
    const text = '@@ -0,0 +1,1 @@\n+a\u001b[1A\u001b[2K\r\n'
    const output = render({ path: 'x\u001b]0;t\u0007\nfoo', flags: ['\u009b2J'], hunks: [{ id: 'h', text, ...lines }] })
    expect(output).toContain('+a^[[1A^[[2K^M\n')
    expect(output).toContain('x^[]0;t^G^Jfoo')
    expect(output).not.toMatch(/[\u001b\u009b\r]/)
  })

  it('shows each hunk’s unique id prefix, and its state if it differs from the change’s', () => {
    const hunk = (id: string, state: Change['state']) => ({ ...lines, id, text: '@@ -0,0 +1,1 @@\n+x\n', state })
    const hunks = [hunk('h_abcdef01', 'approved'), hunk('h_abcdee01', 'pending'), hunk('h_1234ff', 'rejected')]
    const output = render({ hunks }).match(/^@@.*$/gm)
    expect(output).toEqual([
      '@@ -0,0 +1,1 @@ abcdef approved',
      '@@ -0,0 +1,1 @@ abcdee',
      '@@ -0,0 +1,1 @@ 1234 rejected',
    ])
  })

  it('lists risky changes first, and the rest by time', () => {
    const change = (path: string, more: Partial<Change> = {}): Change => ({ ...base, path, hunks: [], ...more })
    const changes = [
      change('a', { intentId: 'INT-002', writtenAt: 9 }),
      change('b', { intentId: 'INT-001', calls: ['c2'], writtenAt: 5 }),
      change('c', { intentId: 'INT-001', calls: ['c1', 'c3'], writtenAt: 7 }),
      change('d', { flags: ['protected'] }),
      change('e', { kind: 'delete' }),
      change('f', { intentId: 'INT-001', calls: ['c1'], writtenAt: 2 }),
    ]
    const text = renderChangeSet({ digest: 'sha256:3', changes }, plain, STYLE)
    expect(text.match(/^# .*$/gm)?.map((line) => line[2])).toEqual(['e', 'd', 'c', 'f', 'b', 'a'])
    // The title is not repeated.
    expect(text).toContain('== Steps 1 to 2, INT-001 ==\n\n# c  modify  pending  c1  c3\n')
  })

  it('truncates a very long line with a note, and does not mistake a line of a file for a hunk header', () => {
    const text = `@@ -0,0 +1,2 @@\n+${'x'.repeat(3000)}\n@@ odd\n`
    const output = render({ hunks: [{ ...lines, id: 'h_abcdef01', text, state: 'pending' }] })
    expect(output).toContain(`+${'x'.repeat(1999)} … 1001 more characters, all of them with --json\n@@ odd\n`)
  })

  it('says that a file is too large to be shown', () => {
    expect(render({ flags: ['large'], hunks: [] })).toContain('a/src/a.ts and b/src/a.ts differ, too large to be shown')
  })
})

const lines = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, state: 'pending' } as const

describe('printable', () => {
  it('names direction marks and invisible characters, and keeps ordinary text', () => {
    expect(printable('a\u202eb\u200bc\ufeff\u{e0041}\u007f')).toBe('a<U+202E>b<U+200B>c<U+FEFF><U+E0041>^?')
    expect(printable('tab\tüñ漢字 🙂\n')).toBe('tab\tüñ漢字 🙂\n')
    expect(oneLine('a\tb\nc')).toBe('a^Ib^Jc')
  })

  it('leaves no control character in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(oneLine(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
      }),
    )
  })
})
