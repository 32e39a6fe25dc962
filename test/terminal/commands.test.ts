import fs from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunningCommand } from '../../src/index.js'
import { startChild } from '../children/run.js'
import { countProcesses } from '../support/processes.js'
import { stateOf } from '../support/state.js'
import { INTENTS, metadataOf, reasonOf, recordsOf, startSession } from '../support/workspace.js'
import { site } from './site.js'

/** Waits until a command has printed a word. */
async function waitForOutput(command: RunningCommand, word: string): Promise<void> {
  while (!command.read().text.includes(word)) {
    if (command.state === 'ended') throw new Error(`It ended, and said ${JSON.stringify(command.read().text)}`)
    await wait(10)
  }
}

/** Prints that it is ready, and waits for SIGUSR1. */
const READY = `go=; trap 'go=1' USR1; echo ready; until [ "$go" ]; do sleep 0.02; done`

describe('a command in the background', () => {
  it('is listed, read from a position, and waited for; its effects are staged when it ends', async () => {
    const { session, root, workspace } = await site({ 'src/a': 'a\n' })
    const command = await session.start('echo one; echo two >&2; echo x > src/made; rm src/a')
    expect((await session.commands()).map(({ id }) => id)).toEqual([command.id])
    const { exitCode, effects, refused, summary } = await command.wait()
    expect([exitCode, refused, command.state]).toEqual([0, [], 'ended'])
    expect(summary).toBe('deleted: src/a\ncreated: src/made')
    expect(effects.changes.map(({ path }) => path)).toEqual(['src/a', 'src/made'])
    const { text, next } = command.read()
    expect(text.split('\n').sort()).toEqual(['', 'one', 'two'])
    expect(command.read(next)).toEqual({ text: '', from: next, next })
    expect(command.read(next - 1).text).toHaveLength(1)
    expect(session.fs.readFileSync(`${root}/src/made`, 'utf8')).toBe('x\n')
    expect(fs.existsSync(`${root}/src/made`)).toBe(false)
    const commands = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'command')
    expect(commands.map(({ background, exit_code }) => [background, exit_code])).toEqual([
      [command.id, null],
      [command.id, 0],
    ])
  })

  it('runs next to exec, which sees its ingested effects; it sees the stage of its start', async () => {
    const { session, root } = await site({ 'src/a': 'a\n' })
    session.fs.writeFileSync(`${root}/src/staged`, 'staged\n')
    const command = await session.start('cat src/staged; echo built > src/out; echo ready; sleep 60')
    await waitForOutput(command, 'ready')
    expect(command.read().text).toBe('staged\nready\n')
    expect((await session.exec('cat src/out')).stdout).toBe('')
    const { effects, unsettled } = await command.ingest()
    expect([effects.changes.map(({ path }) => path), unsettled]).toEqual([['src/out'], []])
    expect((await session.exec('cat src/out; echo more >> src/out')).stdout).toBe('built\n')
    // The changes of exec stay: the command has written nothing since.
    expect((await command.ingest()).effects.changes).toEqual([])
    expect(await command.stop()).toMatchObject({ refused: [] })
    expect(session.fs.readFileSync(`${root}/src/out`, 'utf8')).toBe('built\nmore\n')
  })

  it('finds git-ignored files of earlier commands, and recreated directories among them, and leaves them alone', async () => {
    const { session } = await site({
      '.gitignore': 'node_modules/\ndist/\nsub/out/\n',
      'sub/a': 'a\n',
      'node_modules/old/i.js': 'old\n',
      'dist/old.js': 'old\n',
    })
    await session.exec(
      'rm -r node_modules; mkdir -p node_modules/x sub/out; echo 1 > node_modules/x/i.js; ln -s x node_modules/y',
    )
    await session.exec('echo 2 > sub/out/o; chmod 755 node_modules/x/i.js; rm -r dist')
    const command = await session.start(
      'cat node_modules/y/i.js sub/out/o; ls node_modules; ls -d dist; echo 3 > sub/out/o',
    )
    const { effects, refused, kept } = await command.wait()
    expect([effects.changes, refused, kept]).toEqual([[], [], []])
    expect(command.read().text).toMatch(/^1\n2\nx\ny\nls: /)
    expect((await session.exec('cat sub/out/o')).stdout).toBe('2\n')
  })

  it('ends normally if its session keeps no snapshot of its start', async () => {
    const { session } = await site()
    const command = await session.start(`${READY}; echo x > src/made`)
    await waitForOutput(command, 'ready')
    for (const { id } of await session.snapshots()) await session.dropSnapshot(id)
    command.kill('SIGUSR1')
    expect((await command.wait()).summary).toBe('created: src/made')
    expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/made'])
  })

  it('gets signals, and has time to end by itself', async () => {
    const { session } = await site()
    const command = await session.start(
      "trap 'echo bye > src/bye; exit 3' TERM; trap 'echo again' HUP; echo ready; while :; do sleep 0.05; done",
    )
    await waitForOutput(command, 'ready')
    expect(command.kill('SIGHUP')).toBe(true)
    await waitForOutput(command, 'again')
    const { exitCode, ended, effects } = await command.stop()
    expect([exitCode, ended, effects.changes.map(({ path }) => path)]).toEqual([3, undefined, ['src/bye']])
    expect(command.kill()).toBe(false)
    const deaf = await session.start("trap '' TERM; echo ready; while :; do sleep 0.05; done")
    await waitForOutput(deaf, 'ready')
    expect(await deaf.stop(50)).toMatchObject({ exitCode: null, ended: 'aborted' })
  })

  it('leaves no process if it is stopped as soon as it runs', async () => {
    const { session } = await site()
    const mark = `escrowfs-${process.pid}-soon`
    for (let n = 0; n < 32; n++) {
      const command = await session.start(`sleep 61; : ${mark}`)
      await command.stop(0)
      expect(countProcesses(mark)).toBe(0)
    }
  })

  it('ends with its session, and its effects until then are staged', async () => {
    const { session, workspace } = await site()
    const mark = `escrowfs-${process.pid}-server`
    const command = await session.start(`echo 1 > src/left; echo ready; sh -c 'sleep 61; : ${mark}'`)
    await waitForOutput(command, 'ready')
    expect(countProcesses(mark)).toBeGreaterThan(0)
    await session.close()
    expect(countProcesses(mark)).toBe(0)
    const again = await startSession(workspace)
    expect((await again.changes()).changes.map(({ path }) => path)).toEqual(['src/left'])
  })

  it('ends with its host, however that ends', async () => {
    const { session, root, workspace } = await site()
    await session.close()
    await workspace.close()
    const mark = `escrowfs-${process.pid}-hosted`
    const child = startChild('starting-command.ts', root, `echo here; sh -c 'sleep 61; : ${mark}'`)
    expect(await child.line()).toBe('here')
    expect(countProcesses(mark)).toBeGreaterThan(0)
    await child.kill()
    for (let i = 0; i < 100 && countProcesses(mark) > 0; i++) await wait(20)
    expect(countProcesses(mark)).toBe(0)
  })

  it('is one of sixteen at most, and none is started if policy denies it', async () => {
    const { session } = await site()
    expect(await reasonOf(() => session.start('true', { network: true }))).toBe('access_denied')
    expect((await (await session.start(['no-such-program'])).wait()).exitCode).not.toBe(0)
    await Promise.all(Array.from({ length: 16 }, () => session.start('sleep 60')))
    expect(await reasonOf(() => session.start('true'))).toBe('limit_exceeded')
  })
})

describe('the effects of a running command', () => {
  it('are refused out of scope, and staged at its end once a person has widened the scope', async () => {
    const { session, workspace, root } = await site({ 'src/a.ts': 'a\n', 'mail/m.ts': 'm\n' }, INTENTS)
    const command = await session.start('echo y >> mail/m.ts; echo z >> src/a.ts; echo ready; sleep 60')
    await waitForOutput(command, 'ready')
    const first = await command.ingest()
    expect(first.refused.map(({ path, reason }) => [path, reason])).toEqual([['mail/m.ts', 'scope_violation']])
    expect(fs.existsSync(`${stateOf(root)}/sessions/agent/quarantine`)).toBe(false)
    await workspace.intents.expandScope('INT-001', ['mail/**'])
    const { refused, effects } = await command.stop()
    expect(refused).toEqual([])
    expect(effects.changes.map(({ path }) => path)).toEqual(['mail/m.ts', 'src/a.ts'])
  })

  it('leave the stage if the command reverts them, and return if it repeats them', async () => {
    const { session } = await site({ 'src/a': 'a\n' })
    const command = await session.start(
      `mkdir -p src/d/e; echo 1 > src/d/e/f; echo 1 > src/g; ln -s g src/l; ${READY}; rm -r src/d src/l; rm src/g; echo gone; ${READY.replace('ready', 'back')}; echo 2 > src/g; echo all; sleep 60`,
    )
    const paths = async () => (await session.changes()).changes.map(({ path }) => path)
    await waitForOutput(command, 'ready')
    await command.ingest()
    expect(await paths()).toEqual(['src/d/e/f', 'src/g', 'src/l'])
    command.kill('SIGUSR1')
    await waitForOutput(command, 'back')
    expect((await command.ingest()).refused).toEqual([])
    expect(await paths()).toEqual([])
    command.kill('SIGUSR1')
    await waitForOutput(command, 'all')
    expect((await command.ingest()).refused).toEqual([])
    expect(await paths()).toEqual(['src/g'])
    expect((await command.stop()).effects.changes.map(({ path }) => path)).toEqual(['src/g'])
  })

  it('are refused if a tool or a person has changed the path since its start, and nothing is lost', async () => {
    const { session, root, write } = await site({ 'src/a': 'a\n', 'src/b': 'b\n', 'src/d/x': 'x\n' })
    const command = await session.start(
      `${READY}; echo x >> src/a; echo x >> src/b; rm -r src/d; mkdir src/d; echo all; sleep 60`,
    )
    await waitForOutput(command, 'ready')
    session.fs.writeFileSync(`${root}/src/a`, 'by a tool\n')
    session.fs.writeFileSync(`${root}/src/d/new`, 'by a tool\n')
    write('src/b', 'by a person\n')
    command.kill('SIGUSR1')
    await waitForOutput(command, 'all')
    const { refused, effects } = await command.ingest()
    expect(refused.map(({ path, reason }) => [path, reason])).toEqual([
      ['src/a', 'stale_file'],
      ['src/b', 'stale_file'],
    ])
    expect(effects.changes.map(({ path, kind }) => [kind, path])).toEqual([['delete', 'src/d/x']])
    expect(session.fs.readdirSync(`${root}/src/d`)).toEqual(['new'])
    expect(session.fs.readFileSync(`${root}/src/a`, 'utf8')).toBe('by a tool\n')
  })
})

describe('a commit while a command runs', () => {
  it('of its ingested effects lets it continue', async () => {
    const { session, workspace, text } = await site({ 'src/a': 'a\n', 'src/old': 'old\n' })
    const command = await session.start(
      `echo 1 >> src/a; rm src/old; mkdir src/d; echo n > src/d/new; ${READY}; echo 2 >> src/a; echo all; sleep 60`,
    )
    await waitForOutput(command, 'ready')
    await command.ingest()
    const review = await workspace.review('agent')
    await review.approve()
    await review.commit()
    expect([text('src/a'), text('src/d/new')]).toEqual(['a\n1\n', 'n\n'])
    expect((await command.ingest()).effects.changes).toEqual([])
    command.kill('SIGUSR1')
    await waitForOutput(command, 'all')
    const { effects, refused } = await command.ingest()
    expect([effects.changes.map(({ path }) => path), refused]).toEqual([['src/a'], []])
    expect(session.fs.readFileSync('src/a', 'utf8')).toBe('a\n1\n2\n')
    expect(text('src/a')).toBe('a\n1\n')
  })

  it('of other changes keeps its writes out of the stage, and in the quarantine at its end', async () => {
    const { session, workspace, root, text } = await site({ 'src/a': 'a\n', 'src/b': 'b\n' })
    const command = await session.start(`${READY}; echo x >> src/a; chmod 600 src/b; echo all; sleep 60`)
    await waitForOutput(command, 'ready')
    session.fs.writeFileSync('src/b', 'committed\n')
    const review = await workspace.review('agent')
    await review.approve()
    await review.commit()
    command.kill('SIGUSR1')
    await waitForOutput(command, 'all')
    expect(await reasonOf(() => command.ingest())).toBe('stale_file')
    expect((await session.changes()).changes).toEqual([])
    const { refused, effects } = await command.stop()
    expect(refused.map(({ path, reason }) => [path, reason])).toEqual([
      ['src/a', 'stale_file'],
      ['src/b', 'stale_file'],
    ])
    expect(effects.changes).toEqual([])
    expect(text('src/b')).toBe('committed\n')
    const [place = ''] = fs.readdirSync(`${stateOf(root)}/sessions/agent/quarantine`)
    expect(fs.readdirSync(`${stateOf(root)}/sessions/agent/quarantine/${place}`)).toHaveLength(3)
  })
})

describe('ingesting the effects of a running command', () => {
  it('never follows a link that replaced a directory', async () => {
    const { session, root } = await site()
    const outside = `${root}/../${root.split('/').at(-1)}-outside`
    fs.mkdirSync(outside)
    onTestFinished(() => fs.rmSync(outside, { recursive: true, force: true }))
    fs.writeFileSync(`${outside}/f`, 'SECRET')
    const command = await session.start(
      `mkdir src/d; echo plain > src/d/f; ln -s ${outside} src/l; echo ready; cd src; exec perl -e 'while (1) { rename "d", "e"; rename "l", "d"; rename "d", "l"; rename "e", "d" }'`,
    )
    await waitForOutput(command, 'ready')
    for (let round = 0; round < 100; round++) {
      const { effects } = await command.ingest()
      expect(JSON.stringify(effects)).not.toContain('SECRET')
      await wait(1)
    }
    await command.stop(0)
    expect(JSON.stringify(await session.changes())).not.toContain('SECRET')
  })
})
