import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ContainmentName } from '../../src/core/protection.js'
import { homeOf } from '../../src/hosts/index.js'
import { compileOnce } from '../support/compiled.js'
import { PROVIDERS } from '../support/providers.js'
import { type ClientDriver, governedFixture, put, readyFixture, runEnclosed, runPrompt } from './drivers.js'
import type { ClientFixture } from './fixture.js'
import type { Reply } from './model/turn.js'

/** Checks for every client that `escrow init` has set up. Each title is a row of the table in docs/hosts/checks.md. */
export function checkGoverned(driver: ClientDriver): void {
  it('its own edit tool is refused, with the reason, and the disk stays as it was', async () => {
    const fixture = await governedFixture(driver, { script: [driver.writes('src/new.ts', 'export {}\n')] })
    const { code } = await runPrompt(driver, fixture)
    expect(code).toBe(0)
    expect(fixture.text('src/new.ts')).toBeUndefined()
    expect(fixture.model.turns[1]?.text).toContain('Not Staged')
    expect(fixture.model.strange).toEqual([])
  })

  it('a command that writes leaves the disk as it was', async () => {
    const fixture = await governedFixture(driver, { script: [driver.runs('echo two > src/a.ts')] })
    await runPrompt(driver, fixture)
    expect(fixture.text('src/a.ts')).toBe('export const a = 1\n')
    expect(fixture.model.turns.length).toBe(2)
  })

  it('a file written by our MCP server is staged', async () => {
    const script = [driver.ours('write_file', { path: 'src/new.ts', content: 'export {}\n' })]
    const fixture = await governedFixture(driver, { script })
    await runPrompt(driver, fixture)
    expect(fixture.model.turns[1]?.text).toContain('Successfully wrote')
    expect(fixture.text('src/new.ts')).toBeUndefined()
    expect(await fixture.escrow('diff', driver.client)).toContain('src/new.ts')
  })

  it.runIf(!driver.skipsSlowServers)(
    'our MCP server takes three seconds to start: the first turn has its tools',
    async () => {
      const script = [driver.ours('write_file', { path: 'src/new.ts', content: 'export {}\n' })]
      const fixture = await governedFixture(driver, { script })
      fixture.delayServer(3)
      await runPrompt(driver, fixture)
      expect(fixture.model.turns[1]?.text).toContain('Successfully wrote')
      expect(await fixture.escrow('diff', driver.client)).toContain('src/new.ts')
    },
  )

  it.runIf(driver.saysModel !== undefined)('the ledger names the client and the model of what it wrote', async () => {
    const script = [driver.reads('src/a.ts'), driver.ours('write_file', { path: 'src/new.ts', content: 'export {}\n' })]
    const fixture = await governedFixture(driver, { script })
    await runPrompt(driver, fixture)
    await fixture.escrow('approve', driver.client, '--by', 'Ada')
    await fixture.escrow('commit', driver.client)
    const commits = (fixture.text('.orchestration/agent_trace.jsonl') ?? '')
      .split('\n')
      .filter((line) => line.includes('"commit"'))
    expect(commits.at(-1)).toContain(`"${driver.saysModel}`)
    expect(commits.at(-1)).toContain(`${fixture.model.turns.at(-1)?.model}"`)
  })

  it('a write outside of the scope is refused, with the reason', async () => {
    const script = [driver.ours('write_file', { path: 'README.md', content: 'x\n' })]
    const fixture = await governedFixture(driver, { script })
    await runPrompt(driver, fixture)
    expect(fixture.model.turns[1]?.text).toContain('Scope Violation')
    expect(fixture.text('README.md')).toBeUndefined()
  })

  it('the model gets the intent', async () => {
    const script = driver.isToldByTools ? [driver.reads('src/a.ts')] : []
    const fixture = await governedFixture(driver, { script })
    await runPrompt(driver, fixture)
    const turn = fixture.model.turns.at(-1)
    expect(`${turn?.system}${turn?.text}`).toContain('INT-001')
  })
}

/** The client's tools, without ours, that are missing in its table. */
export async function unknownTools(
  driver: ClientDriver,
  classify: (tool: string) => { readonly class: string },
): Promise<string[]> {
  const fixture = await governedFixture(driver, { script: [] })
  await runPrompt(driver, fixture)
  const offered = new Set(fixture.model.turns.flatMap(({ tools }) => tools))
  expect(offered.size).toBeGreaterThan(5)
  const own = [...offered].filter((tool) => !/^(?:mcp_+)?escrow_/.test(tool))
  return own.filter((tool) => classify(tool).class === 'unknown').sort()
}

/** Checks for every client with an `escrow` command of its name. */
export function checkStart(driver: ClientDriver): void {
  it('the command of its name starts it in escrow, with its provider as its only network', async () => {
    const connectScript = `node -e "require('net').connect(80, '192.0.2.1').on('error', (e) => require('fs').writeFileSync('src/net.ts', e.code))"`
    const fixture = await readyFixture(driver, {
      script: [driver.writes('src/new.ts', 'export {}\n'), driver.runs(connectScript), driver.reads('src/new.ts')],
    })
    const [program, ...args] = driver.command(fixture)
    // Simulates a global installation: a program on PATH outside any workspace.
    put(fixture.home, `bin/${driver.client}`, `#!/bin/sh\nexec '${program}' "$@"\n`)
    chmodSync(join(fixture.home, 'bin', driver.client), 0o755)
    const env = { PATH: `${fixture.home}/bin:${fixture.env.PATH}` }
    const origin = new URL(fixture.model.origin).host
    const { code, err } = await fixture.run('escrow', [driver.client, '--yes', '--allow-host', origin, ...args], {
      env,
    })
    expect([code, err]).toEqual([0, expect.stringContaining('2 changes staged')])
    expect(err).toContain('works for INT-001')
    expect(fixture.text('src/new.ts')).toBeUndefined()
    expect(await fixture.escrow('diff', driver.client)).toContain('ENETUNREACH')
    expect(fixture.model.turns.at(-1)?.text).toContain('export {}')
    expect(fixture.model.strange).toEqual([])
  })
}

/** Checks for every client that `escrow run` starts. */
export function checkWhole(driver: ClientDriver): void {
  it('escrow run starts it: its own edit tool and its commands are staged', async () => {
    const script = [driver.writes('src/new.ts', 'export {}\n'), driver.runs('echo two > src/two.ts')]
    const fixture = await readyFixture(driver, { script })
    const { code, err } = await runEnclosed(driver, fixture)
    expect([code, err]).toEqual([0, expect.stringContaining('2 changes staged')])
    expect([fixture.text('src/new.ts'), fixture.text('src/two.ts')]).toEqual([undefined, undefined])
    expect(fixture.model.strange).toEqual([])
  })

  it.each(['namespace-copy', 'landlock-copy'] as const)(
    'escrow run starts it where only %s works: its edits and its git commit are staged, its state is kept',
    async (provider) => {
      const commit = 'git add src && git -c user.name=A -c user.email=a@b.c commit -qm "Add new"'
      const script = [driver.writes('src/new.ts', 'export {}\n'), driver.runs(commit)]
      const fixture = await readyFixture(driver, { script })
      await refuseBetterThan(provider, fixture)
      const before = fixture.homeFiles()
      const { code, err } = await runEnclosed(driver, fixture)
      expect([code, err]).toEqual([0, expect.stringContaining('1 change staged')])
      expect(fixture.text('src/new.ts')).toBeUndefined()
      expect(await fixture.escrow('status')).toContain('Add new')
      expect(await fixture.escrow('log', '--json')).toContain(provider)
      expect(fixture.homeFiles()).toEqual(before)
      const { out } = await fixture.run('find', [
        join(fixture.home, '.local/state/escrowfs'),
        '-path',
        '*/copy/*',
        '-type',
        'f',
      ])
      expect(out).toContain(`/clients/${driver.client}/`)
      expect(fixture.model.strange).toEqual([])
    },
  )

  it('in escrow run the model gets a rejection, through our hooks in the client', async () => {
    const fixture: ClientFixture = await governedFixture(driver, {
      script: [
        driver.writes('src/new.ts', 'export {}\n'),
        async () => {
          while (!(await fixture.escrow('diff', 'whole')).includes('src/new.ts')) await setTimeout(200)
          await fixture.escrow('reject', 'whole', 'src/new.ts', '--reason', 'Name it after the price')
          return driver.runs('until [ -s /run/escrow/words ]; do sleep 0.1; done')
        },
        driver.reads('src/a.ts'),
      ],
    })
    await runEnclosed(driver, fixture)
    expect(fixture.model.strange).toEqual([])
    expect(fixture.model.turns.at(-1)?.text.match(/Name it after the price/g)).toHaveLength(1)
    expect(await fixture.escrow('diff', 'whole')).toContain('src/new.ts')
  })

  it('in escrow run the model learns that a write is out of scope, through our hooks in the client', async () => {
    const command = 'echo x > README.md; until [ -s /run/escrow/words ]; do sleep 0.1; done'
    const fixture = await governedFixture(driver, { script: [driver.runs(command), driver.reads('src/a.ts')] })
    await runEnclosed(driver, fixture)
    expect(fixture.model.turns.at(-1)?.text).toMatch(/Scope Violation[\s\S]*It is not staged/)
    expect(fixture.text('README.md')).toBeUndefined()
  })

  it('in escrow run its state is kept for the workspace, and the home directory stays as it was', async () => {
    const fixture = await readyFixture(driver, { script: [] })
    const before = fixture.homeFiles()
    await runEnclosed(driver, fixture)
    expect(fixture.homeFiles()).toEqual(before)
    const { out } = await fixture.run('find', [
      join(fixture.home, '.local/state/escrowfs'),
      '-path',
      `*/clients/${driver.client}/*`,
      '-type',
      'f',
    ])
    expect(out).toContain('/upper/')
  })

  it('in escrow run no login of another client can be read, and its own settings cannot be changed', async () => {
    const all = [
      '.claude/.credentials.json',
      '.codex/auth.json',
      '.gemini/oauth_creds.json',
      '.local/share/opencode/auth.json',
      '.cline/data/secrets.json',
    ]
    const others = all.filter((path) => !homeOf(driver.client).logins.includes(path))
    const read = others.map((path) => `cat ~/${path}`).join('; ')
    const fixture = await readyFixture(driver, { script: [driver.runs('sh try.sh')] })
    fixture.write('try.sh', `${read}; echo x > ~/${driver.settings} || echo kept\n`)
    for (const path of others) put(fixture.home, path, 'a-secret-login')
    await runEnclosed(driver, fixture)
    const results = fixture.model.turns[1]?.results ?? ''
    expect(results).toContain('kept')
    expect(results).not.toContain('a-secret-login')
  })
}

/** Records that the providers before this one do not work, as on a machine that refuses them. */
async function refuseBetterThan(provider: ContainmentName, { run }: ClientFixture): Promise<void> {
  const module = join(compileOnce(), 'src/terminal/remembered-attempts.js')
  const failure = { what: 'overlayfs', problem: 'The machine refuses it.', fix: 'Allow it.' }
  const better = PROVIDERS.slice(0, PROVIDERS.indexOf(provider))
  const script = `const { rememberAttempt } = await import(${JSON.stringify(module)})
    for (const name of ${JSON.stringify(better)})
      rememberAttempt(name, { works: false, failure: ${JSON.stringify(failure)} })`
  const { code, err } = await run(process.execPath, ['--input-type=module', '-e', script])
  if (code !== 0) throw new Error(err)
}

/** A rejection reaches the model, whichever tool it calls next. */
export function checkHeard(driver: ClientDriver): void {
  const next: readonly (readonly [what: string, reply: Reply])[] = [
    ['a tool of our MCP server', driver.ours('read_text_file', { path: 'src/a.ts' })],
    ['a tool of its own', driver.reads('src/a.ts')],
  ]
  const end = ['no tool at all: its turn ends', { text: 'Done.' }] as const
  it.each(driver.endsUnheard ? next : [...next, end])(
    'the model gets a rejection while the server runs, with %s',
    async (_, reply) => {
      const fixture: ClientFixture = await governedFixture(driver, {
        script: [
          driver.ours('write_file', { path: 'src/new.ts', content: 'export {}\n' }),
          async () => {
            await fixture.escrow('reject', driver.client, 'src/new.ts', '--reason', 'Name it after the price')
            return reply
          },
        ],
      })
      await runPrompt(driver, fixture)
      const last = fixture.model.turns.at(-1)
      expect(fixture.model.strange).toEqual([])
      expect(fixture.model.turns.length).toBe(3)
      expect(last?.text).toContain('Name it after the price')
    },
  )
}
