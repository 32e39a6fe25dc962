import { describe, expect, it } from 'vitest'
import { inScope } from '../../src/hub/scope.js'
import type { Database } from '../../src/hub/sql.js'
import { freeTurnOf, openTwice, turnOf } from '../hub/fixtures.js'
import { describeDirectories } from './directory.js'
import { landingKit, landOnce } from './kit.js'
import { describeRejected } from './rejected.js'

/**
 * Landing, on every database of a hub.
 * @param open opens one more connection to the same, migrated database
 */
export function describeLanding(name: string, open: () => Promise<Database>): void {
  describe(`landing with a hub on ${name}`, () => {
    const databases = openTwice(open)
    describeWhatLands(() => databases()[0])
    describeDirectories(() => databases()[0])
    describeFaults(databases)
    describeRejected(databases)
  })
}

function describeWhatLands(database: () => Database): void {
  it('lands approved changes on the tip, with trailers', async () => {
    const kit = await landingKit(database())
    await kit.stores.registry.putIntent({ id: 'INT-001', name: 'Fix the prices', status: 'IN_PROGRESS' })
    const change = kit.change('src/a.ts', 'a\n', 'a two\n', { intent: 'INT-001', agent: 'tester:m-1' })
    await kit.approve(
      'laptop.one',
      change,
      kit.change('src/new.ts', null, 'new\n', { mode: { before: null, after: 0o755 } }),
    )
    kit.push({ 'src/b.ts': 'b by a person\n' })
    expect(await kit.landings()).toMatchObject({ 'laptop.one': { state: 'waiting' } })
    const [report] = await kit.work1()
    expect(report).toMatchObject({ kind: 'ended', end: { state: 'landed' } })
    expect(kit.read('src/a.ts')).toBe('a two\n')
    expect(kit.read('src/b.ts')).toBe('b by a person\n')
    expect(kit.run('ls-tree', 'main', 'src/new.ts')).toContain('100755')
    const { id, commit } = (await kit.landings())['laptop.one'] ?? {}
    expect(commit).toBe(kit.run('rev-parse', 'main').trim())
    const message = kit.run('log', '-1', '--format=%an <%ae>%n%B', 'main')
    expect(message).toContain('Ada <')
    expect(message).toContain(
      `Fix the prices\n\nIntent: INT-001\nAssisted-by: tester:m-1\nReviewed-by: Ada\nEscrow-Landing: ${id}`,
    )
    expect(await kit.work1()).toEqual([])
  })

  it('waits until every change has a verdict, and lands only the approved ones', async () => {
    const kit = await landingKit(database())
    const [a, b] = [kit.change('src/a.ts', 'a\n', 'A\n'), kit.change('src/b.ts', 'b\n', 'B\n')]
    const id = await kit.submit('laptop.one', a, b)
    await kit.decide(id, 'approved', a)
    expect(await kit.landings()).toEqual({})
    await kit.decide(id, 'rejected', b)
    await kit.work1()
    expect([kit.read('src/a.ts'), kit.read('src/b.ts')]).toEqual(['A\n', 'b\n'])
    expect(await kit.work1()).toEqual([])
  })

  it('lands a change again after another one of the session reverted it', async () => {
    const kit = await landingKit(database())
    const [there, back] = [kit.change('src/a.ts', 'a\n', 'A\n'), kit.change('src/a.ts', 'A\n', 'a\n')]
    for (const [change, content] of [
      [there, 'A\n'],
      [back, 'a\n'],
      [there, 'A\n'],
      [back, 'a\n'],
    ] as const) {
      await kit.approve('laptop.one', change)
      await kit.work1()
      expect(kit.read('src/a.ts')).toBe(content)
      // The machine has not pulled yet, and a person approves the same bytes again.
      await kit.approve('laptop.one', change)
      expect(await kit.work1()).toEqual([])
    }
  })

  it('evicts a change of a file that others have changed, and shows their change', async () => {
    const kit = await landingKit(database(), { 'src/a.ts': 'one\ntwo\nthree\n', 'src/b.ts': 'b\n' })
    await kit.approve(
      'laptop.one',
      kit.change('src/a.ts', 'one\ntwo\nthree\n', 'one\ntwo by the agent\nthree\n'),
      kit.change('src/b.ts', 'b\n', 'B\n'),
    )
    kit.push({ 'src/a.ts': 'one\ntwo by a person\nthree\n' })
    await kit.work1()
    const { state, reason } = (await kit.landings())['laptop.one'] ?? {}
    expect(state).toBe('evicted')
    expect(reason).toContain('+two by a person')
    expect(reason).toContain('two by the agent')
    expect([kit.read('src/a.ts'), kit.read('src/b.ts')]).toEqual(['one\ntwo by a person\nthree\n', 'b\n'])
  })

  it('lands a version that contains the changes of others, and no merge that nobody has reviewed', async () => {
    const [base, tip] = ['1\n2\n3\n4\n5\n', '1\n2 by a person\n3\n4\n5\n']
    const kit = await landingKit(database(), { 'src/a.ts': base })
    await kit.approve('laptop.one', kit.change('src/a.ts', base, '1\n2\n3\n4\n5 by the agent\n'))
    kit.push({ 'src/a.ts': tip })
    await kit.work1()
    expect((await kit.landings())['laptop.one']).toMatchObject({ state: 'evicted' })
    const both = '1\n2 by a person\n3\n4\n5 by the agent\n'
    await kit.approve('laptop.one', kit.change('src/a.ts', base, both))
    await kit.work1()
    expect(kit.read('src/a.ts')).toBe(both)
  })

  it("lands no change of git's own files, of rules, through links or submodules, or that some disk cannot store", async () => {
    const kit = await landingKit(database())
    kit.pushSpecial()
    const tip = kit.run('rev-parse', 'main')
    const paths = [
      '.git/hooks/pre-push',
      'src/.GIT/config',
      'src/git~1/config',
      'src/.g\u200cit/config',
      '../x',
      'src/../../x',
      '/etc/x',
      'src//x',
      'src\\x',
      '.orchestration/policy.yaml',
      '.orcheſtration/policy.yaml',
      '.gitmodules',
      'SRC/x.ts',
      'src/A.ts',
      'src/a.ts/x',
      'link/x',
      'link',
      'src',
      'sub',
      'sub/x',
    ]
    for (const [at, path] of paths.entries())
      await kit.approve(`laptop.${at}`, kit.change(path, null, 'bad\n'), kit.change(`src/${at}.ts`, null, 'good\n'))
    const reports = await kit.work1()
    expect(reports.map(({ kind }) => kind)).toEqual(paths.map(() => 'ended'))
    const states = Object.values(await kit.landings()).map(({ state }) => state)
    expect(states).toEqual(paths.map(() => 'evicted'))
    expect(kit.run('rev-parse', 'main')).toBe(tip)
  })

  it('runs the checks on the result, and evicts with their output', async () => {
    const kit = await landingKit(database(), { 'src/a.ts': 'a\n', 'ok.txt': 'ok\n' }, [
      { run: 'grep -q ok ok.txt || { echo ok is missing; exit 3; }' },
    ])
    await kit.approve('laptop.bad', kit.change('ok.txt', 'ok\n', 'no\n'))
    await kit.approve('laptop.good', kit.change('src/a.ts', 'a\n', 'A\n'))
    await kit.work1()
    const { 'laptop.bad': bad, 'laptop.good': good } = await kit.landings()
    expect(bad).toMatchObject({ state: 'evicted' })
    expect(bad?.reason).toContain('ok is missing')
    expect(bad?.reason).toContain('exit code 3')
    expect(good).toMatchObject({ state: 'landed' })
    expect([kit.read('ok.txt'), kit.read('src/a.ts')]).toEqual(['ok\n', 'A\n'])
  })

  it('finds the failing landings among many, and lands the others in few pushes', async () => {
    const kit = await landingKit(database(), { 'src/a.ts': 'a\n' }, [{ run: '! grep -rq broken src' }])
    kit.run('config', 'core.logAllRefUpdates', 'true')
    const failing = ['laptop.2', 'laptop.7']
    for (let at = 0; at < 10; at++) {
      const text = failing.includes(`laptop.${at}`) ? 'broken\n' : 'fine\n'
      await kit.approve(`laptop.${at}`, kit.change(`src/new-${at}.ts`, null, text))
    }
    await kit.work1()
    const ends = Object.values(await kit.landings())
    expect(
      ends
        .filter(({ state }) => state === 'evicted')
        .map(({ session }) => session)
        .sort(),
    ).toEqual(failing)
    expect(ends.filter(({ state }) => state === 'landed')).toHaveLength(8)
    expect(kit.files().filter((path) => path.startsWith('src/new-'))).toHaveLength(8)
    expect(kit.run('reflog', 'show', '--format=%H', 'main').trim().split('\n').length).toBeLessThanOrEqual(5)
  })
}

/** A database whose process dies before a transaction: earlier changes are kept, and no later one happens. */
function dying(database: Database, at: number): Database {
  let count = 0
  return Object.assign({}, database, {
    transaction: (async (work) => {
      count++
      if (count >= at) throw new Error('The worker died.')
      return database.transaction(work)
    }) satisfies Database['transaction'],
  })
}

/** Lets the turns of dead workers expire. */
function passTurns(database: Database): Promise<unknown> {
  return database.transaction((query) => query.rows(`update escrow.repositories set until = '-infinity'`))
}

function describeFaults(databases: () => [Database, Database]): void {
  it('loses and repeats nothing if a worker dies between any two steps', async () => {
    const [database] = databases()
    let hasEnded = false
    for (let at = 1; !hasEnded; at++) {
      const kit = await landingKit(database)
      await kit.approve('laptop.good', kit.change('src/a.ts', 'a\n', 'A\n'))
      await kit.approve('laptop.bad', kit.change('src/b.ts', 'other\n', 'B\n'))
      const reports = await kit.work1(dying(database, at))
      hasEnded = reports.every(({ kind }) => kind !== 'problem')
      await passTurns(database)
      await kit.work1()
      const { 'laptop.good': good, 'laptop.bad': bad } = await kit.landings()
      expect([at, good?.state, bad?.state]).toEqual([at, 'landed', 'evicted'])
      expect(kit.run('log', '--format=%(trailers:key=Escrow-Landing,valueonly)', 'main').trim()).toBe(good?.id)
      expect(good?.commit).toBe(kit.run('rev-parse', 'main').trim())
      const audit = await kit.stores.ledger.read('audit', 0)
      const ends = audit.filter(({ line }) => /"act":"(?:landed|evicted)"/.test(line))
      expect(ends).toHaveLength(2)
    }
  })

  it('lands everything once with two workers at a time', async () => {
    const [one, two] = databases()
    const files = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`src/${index}.ts`, `${index}\n`]))
    const kit = await landingKit(one, files)
    for (const [path, text] of Object.entries(files))
      await kit.approve(`laptop.${text.trim()}`, kit.change(path, text, `new ${text}`))
    await Promise.all([kit.work1(one), landOnce(two, `${kit.work}-two`)])
    await passTurns(one)
    await kit.work1()
    expect(Object.values(await kit.landings()).map(({ state }) => state)).toEqual(Array(6).fill('landed'))
    const ids = kit.run('log', '--format=%(trailers:key=Escrow-Landing,valueonly)', 'main').split('\n').filter(Boolean)
    expect(new Set(ids).size).toBe(6)
    expect(ids).toHaveLength(6)
  })

  it('checks again on the new tip if somebody else pushes meanwhile', async () => {
    const kit = await landingKit(databases()[0], { 'src/a.ts': 'a\n', 'ok.txt': 'ok\n' }, [
      { run: 'grep -q ok ok.txt' },
    ])
    await kit.approve('laptop.one', kit.change('src/a.ts', 'a\n', 'A\n'))
    const [database] = databases()
    let [isPushed, seen] = [false, 0]
    const racing: Database = Object.assign({}, database, {
      transaction: (async (work) => {
        const result = await database.transaction(work)
        // After the check has passed, and before the push.
        if (!isPushed && (await kit.landings())['laptop.one']?.state === 'landing' && ++seen === 2) {
          isPushed = true
          kit.push({ 'ok.txt': 'red\n' })
        }
        return result
      }) satisfies Database['transaction'],
    })
    await kit.work1(racing)
    expect(isPushed).toBe(true)
    expect(kit.read('src/a.ts')).toBe('a\n')
    expect((await kit.landings())['laptop.one']?.reason).toContain('grep -q ok ok.txt')
  })

  it('shows a repository to its own workspace only, and lets no workspace set one', async () => {
    const [database] = databases()
    const [mine, other] = [await landingKit(database), await landingKit(database)]
    expect((await mine.stores.landings.repository())?.url).toBe(mine.remote)
    expect((await other.stores.landings.repository())?.url).toBe(other.remote)
    const rows = (sql: string) => inScope(database, mine.scope, (query) => query.rows(sql))
    expect(await rows('select workspace from escrow.repositories')).toEqual([{ workspace: mine.scope.workspace }])
    await expect(rows(`update escrow.repositories set url = '/elsewhere'`)).rejects.toThrow('permission denied')
    await expect(rows('delete from escrow.repositories')).rejects.toThrow('permission denied')
  })

  it('passes the turn of a dead worker on, though the clock was set back', async () => {
    const [database] = databases()
    const kit = await landingKit(database)
    await kit.approve('laptop.one', kit.change('src/a.ts', 'a\n', 'A\n'))
    await turnOf(database, kit.scope, 'first')
    // What the row is once the clock was set back by a day.
    await database.transaction((query) =>
      query.rows(`update escrow.repositories set until = until + interval '1 day' where worker = 'first'`),
    )
    expect((await freeTurnOf(database, kit.scope, 'second'))?.worker).toBe('second')
  })

  it('stops a worker whose turn has passed', async () => {
    const [database] = databases()
    const kit = await landingKit(database)
    await kit.approve('laptop.one', kit.change('src/a.ts', 'a\n', 'A\n'))
    const first = await turnOf(database, kit.scope, 'first')
    expect(await freeTurnOf(database, kit.scope, 'second')).toBeUndefined()
    await passTurns(database)
    const next = await turnOf(database, kit.scope, 'second')
    const { landings } = kit.stores
    if (first === undefined || next === undefined) throw new Error('No turn.')
    const [landing] = await landings.begin(next, 5)
    const id = landing?.id ?? ''
    for (const call of [
      () => landings.begin(first, 5),
      () => landings.renew(first),
      () => landings.pause(first, 'x', 0),
      () => landings.end(first, [{ id, state: 'evicted', reason: 'x', paths: [] }]),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'fenced' })
    // It had pushed before, so the branch has it and it counts.
    await landings.end(next, [{ id, state: 'evicted', reason: 'x', paths: [] }])
    await landings.end(first, [{ id, state: 'landed', commit: 'c' }])
    expect(await kit.landings()).toMatchObject({ 'laptop.one': { state: 'landed', commit: 'c' } })
  })
}

/** Takes turns until one belongs to the workspace. */
