import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Scene, scene } from '../attacks/kit.js'
import { escrowAt } from './real.js'

const INTENTS = `# the plan
active_intents:
  - id: INT-001 # now
    name: Prices
    status: PENDING
    owned_scope: ["src/**"]
`

const escrow = (fixture: Scene, ...argv: string[]) => escrowAt(fixture.root, ['intents', ...argv])

const BY = ['--by', 'Ada <ada@example.org>']
const plan = (fixture: Scene) => readFileSync(fixture.at('.orchestration/active_intents.yaml'), 'utf8')

function editor(command: string): void {
  const { VISUAL, EDITOR } = process.env
  process.env.VISUAL = command
  onTestFinished(() => {
    process.env.VISUAL = VISUAL ?? ''
    process.env.EDITOR = EDITOR ?? ''
  })
}

describe('intents', () => {
  it.each([['show'], ['scope'], ['edit', '--name', 'x'], ['status', 'DRAFT'], ['scope', '--add', 'a/**']])(
    '%s suggests an id for a mistyped one',
    async (command, ...rest) => {
      const fixture = scene({}, INTENTS)
      const { code, err } = await escrow(fixture, command, 'INT-01', ...rest)
      expect(code).toBe(1)
      expect(err).toContain("There is no intent INT-01. (unknown_intent)\nDid you mean 'INT-001'? 'escrow intents'")
      expect((await escrow(fixture, command, 'unlike', ...rest)).err).not.toContain('mean')
      expect(plan(fixture)).toBe(INTENTS)
    },
  )

  it.each([
    ['add', ' '],
    ['edit', 'INT-001', '--name', ''],
  ])('%s needs a name', async (...argv) => {
    const fixture = scene({}, INTENTS)
    const { code, err } = await escrow(fixture, ...argv, ...BY)
    expect([code, plan(fixture)]).toEqual([2, INTENTS])
    expect(err).toContain('Name the task in a few words.')
  })

  it('lists the intents, also without a subcommand', async () => {
    const fixture = scene({}, INTENTS)
    expect((await escrow(fixture)).out).toBe('INT-001  PENDING  Prices\n')
    expect(JSON.parse((await escrow(fixture, 'list', '--json')).out)).toMatchObject({ intents: [{ id: 'INT-001' }] })
    const none = await escrow(scene({}, 'active_intents: []\n'), 'list')
    expect(none.out).toContain("'escrow intents add'")
  })

  it.each(['[', 'src/[ab', 'src/[]'])('refuses the invalid glob %s, and leaves the file unchanged', async (glob) => {
    const fixture = scene({}, INTENTS)
    for (const argv of [
      ['add', 'x', '--scope', glob],
      ['scope', 'INT-001', '--add', glob],
    ])
      expect(await escrow(fixture, ...argv, ...BY)).toMatchObject({
        code: 1,
        err: expect.stringContaining('a [ is not closed'),
      })
    expect(plan(fixture)).toBe(INTENTS)
    expect((await escrow(fixture, 'scope', 'INT-001', '--add', '[[]', 'pages/[id].ts', ...BY)).code).toBe(0)
  })

  it('warns about a directory in a scope, which matches nothing below it', async () => {
    const fixture = scene({ 'src/a.ts': '' }, INTENTS)
    const note = (id: string) =>
      `src is a directory: it does not match the paths below it. To add them:\n  escrow intents scope ${id} --add 'src/**'\n`
    expect((await escrow(fixture, 'scope', 'INT-001', '--add', 'src/', 'lib/**', ...BY)).err).toBe(note('INT-001'))
    // The second is too long for the name of a file.
    const added = await escrow(fixture, 'add', 'x', '--scope', 'src', 'a'.repeat(300), ...BY)
    expect(added).toMatchObject({ code: 0, err: note('INT-002') })
  })

  it('adds one from a template, and reports an empty scope', async () => {
    const fixture = scene({}, INTENTS)
    const bare = await escrow(fixture, 'add', 'Mend it', '--from', 'bug-fix', '--depends-on', 'INT-001', ...BY)
    expect(bare.out).toBe(
      "added  INT-002  Mend it\nIt may change no path yet. Add some with 'escrow intents scope INT-002 --add GLOB'.\n",
    )
    const full = await escrow(
      fixture,
      'add',
      'Words',
      '--id',
      'DOC-1',
      '--scope',
      'docs/**',
      '!docs/old',
      '--why',
      'Asked for.',
    )
    expect(full.out).toBe('added  DOC-1  Words\n')
    expect(plan(fixture)).toContain(INTENTS)
    expect((await escrow(fixture, 'show', 'INT-002')).out).toMatch(
      /^INT-002 {2}PENDING {2}Mend it\nScope: empty.*\nConstraints\n {2}Change no more.*\n(?:.*\n)*Depends on\n {2}INT-001\nVersions\n {2}\S+Z {2}Ada {2}declared\n$/,
    )
    expect((await escrow(fixture, 'show', 'DOC-1')).out).toMatch(/declared \+docs\/\*\* \+!docs\/old {2}Asked for\.\n$/)
    const unknown = await escrow(fixture, 'add', 'x', '--from', 'nothing')
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('There are: bug-fix, refactor')])
  })

  it('sets status and scope, and shows who changed them', async () => {
    const fixture = scene({}, INTENTS)
    await escrow(fixture, 'status', 'INT-001', 'in-progress', ...BY)
    const scoped = await escrow(
      fixture,
      'scope',
      'INT-001',
      '--add',
      'lib/**',
      '--remove',
      'src/**',
      '--why',
      'Moved.',
      ...BY,
    )
    expect(scoped.out).toBe('lib/**\n')
    const { out } = await escrow(fixture, 'show', 'INT-001')
    expect(out).toMatch(/Ada {2}PENDING to IN_PROGRESS\n {2}\S+ {2}Ada {2}\+lib\/\*\* -src\/\*\* {9}Moved\.\n$/)
    expect((await escrow(fixture, 'status', 'INT-001', 'finished')).code).toBe(2)
    expect((await escrow(fixture, 'scope', 'INT-009')).code).toBe(1)
    expect((await escrow(fixture, 'show', 'INT-009')).err).toContain('unknown_intent')
  })

  it('accepts and refuses requests of an agent', async () => {
    const fixture = scene({}, INTENTS)
    const workspace = await fixture.open()
    const session = await fixture.agent(workspace)
    const [first, second] = [
      await session.requestScope(['test/**'], 'tests'),
      await session.requestScope(['etc/**'], 'more'),
    ]
    const { out } = await escrow(fixture, 'scope', 'INT-001')
    expect(out).toBe(
      `src/**\nrequested by one  ${first.id}  test/**: tests\nrequested by one  ${second.id}  etc/**: more\n`,
    )
    expect((await escrow(fixture, 'scope', 'INT-001', '--refuse', second.id)).err).toContain('Give a reason')
    await escrow(fixture, 'scope', 'INT-001', '--refuse', second.id, '--why', 'Not there.', ...BY)
    expect((await escrow(fixture, 'scope', 'INT-001', '--accept', first.id.slice(0, 8), ...BY)).out).toBe(
      'src/**\ntest/**\n',
    )
    expect(await session.feedback()).toMatchObject([{ reason: 'Not there.' }, { kind: 'granted' }])
    const again = await escrow(fixture, 'scope', 'INT-001', '--accept', first.id)
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('No open question has')])
  })

  it('lists templates', async () => {
    const fixture = scene({ '.orchestration/templates/release.yaml': 'summary: a release\n' }, INTENTS)
    const { out } = await escrow(fixture, 'templates')
    expect(out).toMatch(/^release {3}\.orchestration\/templates\/release\.yaml {2}a release\nbug-fix {3}built-in/)
    fixture.write('.orchestration/templates/release.yaml', 'x: y\n')
    expect((await escrow(fixture, 'templates')).err).toContain('release.yaml, line 1')
  })
})

describe('intents edit', () => {
  it('changes the fields that the options name', async () => {
    const fixture = scene({}, INTENTS)
    const { out } = await escrow(fixture, 'edit', 'INT-001', '--name', 'Taxes', '--criterion', 'It adds up', ...BY)
    expect(out).toBe('changed  INT-001  PENDING  Taxes\n')
    expect(plan(fixture)).toContain('      - It adds up\n')
    expect((await escrow(fixture, 'edit', '--name', 'x')).code).toBe(2)
  })

  it('opens the file in an editor, and records the changes', async () => {
    const fixture = scene({}, INTENTS)
    editor("sed -i 's/PENDING/BLOCKED/'")
    expect((await escrow(fixture, 'edit', '--why', 'Waits.', ...BY)).code).toBe(0)
    expect(plan(fixture)).toBe(INTENTS.replace('PENDING', 'BLOCKED'))
    expect((await escrow(fixture, 'show', 'INT-001')).out).toMatch(/Ada {2}PENDING to BLOCKED {2}Waits\.\n$/)
  })

  it('opens an invalid file again, and stops if it is saved unchanged', async () => {
    const fixture = scene({}, INTENTS)
    editor("sed -i 's/PENDING/WAITING/'")
    const { code, err } = await escrow(fixture, 'edit')
    expect([code, err]).toEqual([1, expect.stringMatching(/line 5.*editor opens again/)])
    expect(plan(fixture)).toBe(INTENTS)
    editor("sed -i 's/WAITING/DRAFT/; s/PENDING/WAITING/'")
    expect((await escrow(fixture, 'edit')).code).toBe(0)
    expect(plan(fixture)).toBe(INTENTS.replace('PENDING', 'DRAFT'))
  })

  it('changes nothing when the editor fails', async () => {
    const fixture = scene({}, INTENTS)
    editor('sed -i \'s/PENDING/DRAFT/\' "$1"; exit 3; :')
    const { code, err } = await escrow(fixture, 'edit')
    expect([code, err]).toEqual([1, expect.stringContaining('Nothing was changed')])
    expect(plan(fixture)).toBe(INTENTS)
  })
})
