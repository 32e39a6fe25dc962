import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CommandEnd, CommandOptions } from '../../src/terminal/command-io.js'
import type { Place } from '../../src/terminal/command-place.js'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { openCopy } from '../../src/terminal/copy-place.js'
import { ESCAPED, escapeAttempts } from '../../src/terminal/escape-corpus.js'
import { runEscapes, untried } from '../../src/terminal/run-escapes.js'
import { fakeContainment } from '../support/containments.js'
import { assertWorks } from '../support/providers.js'

const TARGETS = {
  ...{ outside: "/scene's/outside", port: 1, datagrams: 2, socket: '/scene/socket', abstract: 'name', victim: 12_345 },
  ...{ sleeps: '601.25', left: '119.5', node: '/usr/bin/node' },
}
const ENDED: CommandEnd = { exitCode: 0, stdout: '', stderr: '', truncated: false, began: true }

/** The results in a provider that runs nothing: `act` performs the possible effects of a command. */
async function resultsWhere(act: (options: CommandOptions) => Promise<Partial<CommandEnd>> | Partial<CommandEnd>) {
  const containment = fakeContainment({
    open: async ({ root }): Promise<Place> => ({
      ...openCopy(root),
      run: async (options) => Object.assign({}, ENDED, await act(options)),
    }),
  })
  const results = await runEscapes(containment)
  return (name: string) => results.find((each) => each.name === name)
}

const scriptOf = ({ args }: CommandOptions) => args[2] ?? ''
const outsideOf = ({ visibility }: CommandOptions) => (visibility.hidden[0]?.path ?? '').replace(/\/closed$/, '')

describe('the escape corpus', () => {
  it('does no harm without containment', () => {
    for (const architecture of ['x64', 'arm64'] as const)
      for (const { name, script } of escapeAttempts(TARGETS, architecture)) {
        // A signal has one process as its target, by pid; only files of the scene are changed.
        for (const [, target] of script.matchAll(/\bkill\b(.*?)(?:;|$)/gm))
          expect([name, target]).toEqual([name, ' -9 12345'])
        expect([name, /(?:^|[;&|(]\s*)u?mount\b|\brm -[a-z]*r|reboot|shutdown|sysrq|mkfs/.test(script)]).toEqual([
          name,
          false,
        ])
        for (const [, to = ''] of script.matchAll(/(?<!=)>\s*(\S+)/g))
          expect([name, to]).toEqual([
            name,
            expect.stringMatching(/^(?:'\/scene'|"\/proc\/\$root\/root"'\/scene'|link\/|hard$|&1$|\/dev\/null|\{)/),
          ])
      }
  })

  it('has the same attempts on each architecture', () => {
    const names = (architecture: 'x64' | 'arm64') => escapeAttempts(TARGETS, architecture).map(({ name }) => name)
    expect(names('arm64')).toEqual(names('x64'))
    expect(new Set(names('x64')).size).toBe(names('x64').length)
  })

  it.each(CONTAINMENTS)('is contained by $name', async (containment) => {
    await assertWorks(containment.name)
    const results = await runEscapes(containment)
    expect(results.filter(({ outcome, isPromised }) => isPromised && outcome !== 'held')).toEqual([])
    expect(results.length).toBeGreaterThan(25)
    expect(untried(containment, results)).toEqual(containment.keeps.filter((name) => name === 'write_limit'))
  })
})

describe('an attempt that escaped', () => {
  it('is detected by what a command prints, changes, ends or leaves', async () => {
    const resultOf = await resultsWhere(async (options) => {
      const script = scriptOf(options)
      if (script.includes('.connect(')) return { stdout: ESCAPED }
      if (script.includes('cat closed')) return { stderr: 'a closed word' }
      if (script.includes('ln -s')) {
        writeFileSync(`${outsideOf(options)}/new`, 'out')
        return {}
      }
      if (script.includes('/proc/$root')) rmSync(`${outsideOf(options)}/new`)
      return {}
    })
    const outcomeOf = (name: string) => [resultOf(name)?.outcome, resultOf(name)?.detail]
    expect(outcomeOf("this machine's loopback")).toEqual(['did not hold', 'it got through'])
    expect(outcomeOf('a closed file')).toEqual(['did not hold', 'it read the closed file'])
    expect(outcomeOf('a file beside the workspace')).toEqual(['held', undefined])
    expect(outcomeOf('a link out of the workspace')).toEqual(['did not hold', 'a file outside has changed'])
    expect(outcomeOf('another root')).toEqual(['held', undefined])
    expect(outcomeOf('many processes')).toEqual(['did not hold', 'the command went on past its limit'])
  })

  it('is a connection to a host that was not allowed', async () => {
    const containment = fakeContainment({
      open: async ({ root }): Promise<Place> => {
        const place = openCopy(root)
        const run: Place['run'] = async (options) => (options.network === false ? ENDED : place.run(options))
        return { ...place, run }
      },
    })
    const results = await runEscapes(containment)
    const free = results.filter(({ protection, outcome }) => protection === 'network_by_host' && outcome !== 'held')
    expect(free.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'another host by its number',
        'another host by IPv6',
        'another host by a first packet with data',
        'another host after the proxy',
        'another host by a datagram',
      ]),
    )
  })

  it('is a process that continues', async () => {
    const left: ReturnType<typeof spawn>[] = []
    const resultOf = await resultsWhere(async (options) => {
      if (!scriptOf(options).startsWith('setsid')) return { ended: 'memory' }
      const child = spawn('sleep', [`119.${process.pid}`], { stdio: 'ignore' })
      left.push(child)
      await once(child, 'spawn')
      return {}
    })
    expect(resultOf('a daemon')).toMatchObject({ outcome: 'did not hold', detail: 'a process is left' })
    expect(resultOf('much memory')).toMatchObject({ protection: 'memory_limit' })
    for (const child of left) if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })

  it('is not a command that did not start', async () => {
    const resultOf = await resultsWhere(() => ({ began: false }))
    expect(resultOf('a signal')).toMatchObject({ outcome: 'did not hold', detail: 'the command did not start' })
  })
})
