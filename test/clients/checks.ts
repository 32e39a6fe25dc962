import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ContainmentName } from '../../src/core/protection.js'
import { homeOf } from '../../src/hosts/index.js'
import { compileOnce } from '../support/compiled.js'
import { PROVIDERS } from '../support/providers.js'
import { type ClientDriver, runEnclosed, setUpGovernedStand, runPrompt, put, readyStand } from './drivers.js'
import type { Reply } from './model/turn.js'
import type { ClientStand } from './stand.js'

/** Checks for every client that `escrow init` has set up. Each title is a row of the table in docs/hosts/checks.md. */
export function checkGoverned(driver: ClientDriver): void {
  it('its own edit tool is refused, with the reason, and the disk stays as it was', async () => {
    const stand = await setUpGovernedStand(driver, { script: [driver.writes('src/new.ts', 'export {}\n')] })
    const { code } = await runPrompt(driver, stand)
    expect(code).toBe(0)
    expect(stand.text('src/new.ts')).toBeUndefined()
    expect(stand.model.turns[1]?.text).toContain('Not Staged')
    expect(stand.model.strange).toEqual([])
  })

  it('a command that writes leaves the disk as it was', async () => {
    const stand = await setUpGovernedStand(driver, { script: [driver.runs('echo two > src/a.ts')] })
    await runPrompt(driver, stand)
    expect(stand.text('src/a.ts')).toBe('export const a = 1\n')
    expect(stand.model.turns.length).toBe(2)
  })

  it('a file written by our MCP server is staged', async () => {
    const script = [driver.ours('write_file', { path: 'src/new.ts', content: 'export {}\n' })]
    const stand = await setUpGovernedStand(driver, { script })
    await runPrompt(driver, stand)
    expect(stand.model.turns[1]?.text).toContain('Successfully wrote')
    expect(stand.text('src/new.ts')).toBeUndefined()
    expect(await stand.escrow('diff', driver.client)).toContain('src/new.ts')
  })

  it.runIf(!driver.skipsSlowServers)(
    'our MCP server takes three seconds to start: the first turn has its tools',
    async () => {
      const script = [driver.ours('write_file', { path: 'src/new.ts', content: 'export {}\n' })]
      const stand = await setUpGovernedStand(driver, { script })
      stand.delayServer(3)
      await runPrompt(driver, stand)
      expect(stand.model.turns[1]?.text).toContain('Successfully wrote')
      expect(await stand.escrow('diff', driver.client)).toContain('src/new.ts')
    },
  )

  it.runIf(driver.saysModel !== undefined)('the ledger names the client and the model of what it wrote', async () => {
    const script = [driver.reads('src/a.ts'), driver.ours('write_file', { path: 'src/new.ts', content: 'export {}\n' })]
    const stand = await setUpGovernedStand(driver, { script })
    await runPrompt(driver, stand)
    await stand.escrow('approve', driver.client, '--by', 'Ada')
    await stand.escrow('commit', driver.client)
    const commits = (stand.text('.orchestration/agent_trace.jsonl') ?? '')
      .split('\n')
      .filter((line) => line.includes('"commit"'))
    expect(commits.at(-1)).toContain(`"${driver.saysModel}`)
    expect(commits.at(-1)).toContain(`${stand.model.turns.at(-1)?.model}"`)
  })

  it('a write outside of the scope is refused, with the reason', async () => {
    const script = [driver.ours('write_file', { path: 'README.md', content: 'x\n' })]
    const stand = await setUpGovernedStand(driver, { script })
    await runPrompt(driver, stand)
    expect(stand.model.turns[1]?.text).toContain('Scope Violation')
    expect(stand.text('README.md')).toBeUndefined()
  })

  it('the model gets the intent', async () => {
    const script = driver.isToldByTools ? [driver.reads('src/a.ts')] : []
    const stand = await setUpGovernedStand(driver, { script })
    await runPrompt(driver, stand)
    const turn = stand.model.turns.at(-1)
    expect(`${turn?.system}${turn?.text}`).toContain('INT-001')
  })
}

/** The client's tools, without ours, that are missing in its table. */
export async function unknownTools(
  driver: ClientDriver,
  classify: (tool: string) => { readonly class: string },
): Promise<string[]> {
  const stand = await setUpGovernedStand(driver, { script: [] })
  await runPrompt(driver, stand)
  const offered = new Set(stand.model.turns.flatMap(({ tools }) => tools))
  expect(offered.size).toBeGreaterThan(5)
  const own = [...offered].filter((tool) => !/^(?:mcp_+)?escrow_/.test(tool))
  return own.filter((tool) => classify(tool).class === 'unknown').sort()
}

/** Checks for every client with an `escrow` command of its name. */
export function checkStart(driver: ClientDriver): void {
  it('the command of its name starts it in escrow, with its provider as its only network', async () => {
    const elsewhere = `node -e "require('net').connect(80, '192.0.2.1').on('error', (e) => require('fs').writeFileSync('src/net.ts', e.code))"`
    const stand = await readyStand(driver, {
      script: [driver.writes('src/new.ts', 'export {}\n'), driver.runs(elsewhere), driver.reads('src/new.ts')],
    })
    const [program, ...args] = driver.command(stand)
    // Simulates a global installation: a program on PATH outside any workspace.
    put(stand.home, `bin/${driver.client}`, `#!/bin/sh\nexec '${program}' "$@"\n`)
    chmodSync(join(stand.home, 'bin', driver.client), 0o755)
    const env = { PATH: `${stand.home}/bin:${stand.env.PATH}` }
    const origin = new URL(stand.model.origin).host
    const { code, err } = await stand.run('escrow', [driver.client, '--yes', '--allow-host', origin, ...args], { env })
    expect([code, err]).toEqual([0, expect.stringContaining('2 changes staged')])
    expect(err).toContain('works for INT-001')
    expect(stand.text('src/new.ts')).toBeUndefined()
    expect(await stand.escrow('diff', driver.client)).toContain('ENETUNREACH')
    expect(stand.model.turns.at(-1)?.text).toContain('export {}')
    expect(stand.model.strange).toEqual([])
  })
}

/** Checks for every client that `escrow run` starts. */
export function checkWhole(driver: ClientDriver): void {
  it('escrow run starts it: its own edit tool and its commands are staged', async () => {
    const script = [driver.writes('src/new.ts', 'export {}\n'), driver.runs('echo two > src/two.ts')]
    const stand = await readyStand(driver, { script })
    const { code, err } = await runEnclosed(driver, stand)
    expect([code, err]).toEqual([0, expect.stringContaining('2 changes staged')])
    expect([stand.text('src/new.ts'), stand.text('src/two.ts')]).toEqual([undefined, undefined])
    expect(stand.model.strange).toEqual([])
  })

  it.each(['namespace-copy', 'landlock-copy'] as const)(
    'escrow run starts it where only %s works: its edits and its git commit are staged, its state is kept',
    async (provider) => {
      const commit = 'git add src && git -c user.name=A -c user.email=a@b.c commit -qm "Add new"'
      const script = [driver.writes('src/new.ts', 'export {}\n'), driver.runs(commit)]
      const stand = await readyStand(driver, { script })
      await refuseBetterThan(provider, stand)
      const before = stand.homeFiles()
      const { code, err } = await runEnclosed(driver, stand)
      expect([code, err]).toEqual([0, expect.stringContaining('1 change staged')])
      expect(stand.text('src/new.ts')).toBeUndefined()
      expect(await stand.escrow('status')).toContain('Add new')
      expect(await stand.escrow('log', '--json')).toContain(provider)
      expect(stand.homeFiles()).toEqual(before)
      const { out } = await stand.run('find', [
        join(stand.home, '.local/state/escrowfs'),
        '-path',
        '*/copy/*',
        '-type',
        'f',
      ])
      expect(out).toContain(`/clients/${driver.client}/`)
      expect(stand.model.strange).toEqual([])
    },
  )

  it('in escrow run the model gets a rejection, through our hooks in the client', async () => {
    const stand: ClientStand = await setUpGovernedStand(driver, {
      script: [
        driver.writes('src/new.ts', 'export {}\n'),
        async () => {
          while (!(await stand.escrow('diff', 'whole')).includes('src/new.ts')) await setTimeout(200)
          await stand.escrow('reject', 'whole', 'src/new.ts', '--reason', 'Name it after the price')
          return driver.runs('until [ -s /run/escrow/words ]; do sleep 0.1; done')
        },
        driver.reads('src/a.ts'),
      ],
    })
    await runEnclosed(driver, stand)
    expect(stand.model.strange).toEqual([])
    expect(stand.model.turns.at(-1)?.text.match(/Name it after the price/g)).toHaveLength(1)
    expect(await stand.escrow('diff', 'whole')).toContain('src/new.ts')
  })

  it('in escrow run the model learns that a write is out of scope, through our hooks in the client', async () => {
    const command = 'echo x > README.md; until [ -s /run/escrow/words ]; do sleep 0.1; done'
    const stand = await setUpGovernedStand(driver, { script: [driver.runs(command), driver.reads('src/a.ts')] })
    await runEnclosed(driver, stand)
    expect(stand.model.turns.at(-1)?.text).toMatch(/Scope Violation[\s\S]*It is not staged/)
    expect(stand.text('README.md')).toBeUndefined()
  })

  it('in escrow run its state is kept for the workspace, and the home directory stays as it was', async () => {
    const stand = await readyStand(driver, { script: [] })
    const before = stand.homeFiles()
    await runEnclosed(driver, stand)
    expect(stand.homeFiles()).toEqual(before)
    const { out } = await stand.run('find', [
      join(stand.home, '.local/state/escrowfs'),
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
    const stand = await readyStand(driver, { script: [driver.runs('sh try.sh')] })
    stand.write('try.sh', `${read}; echo x > ~/${driver.settings} || echo kept\n`)
    for (const path of others) put(stand.home, path, 'a-secret-login')
    await runEnclosed(driver, stand)
    const results = stand.model.turns[1]?.results ?? ''
    expect(results).toContain('kept')
    expect(results).not.toContain('a-secret-login')
  })
}

/** Records that the providers before this one do not work, as on a machine that refuses them. */
async function refuseBetterThan(provider: ContainmentName, { run }: ClientStand): Promise<void> {
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
      const stand: ClientStand = await setUpGovernedStand(driver, {
        script: [
          driver.ours('write_file', { path: 'src/new.ts', content: 'export {}\n' }),
          async () => {
            await stand.escrow('reject', driver.client, 'src/new.ts', '--reason', 'Name it after the price')
            return reply
          },
        ],
      })
      await runPrompt(driver, stand)
      const last = stand.model.turns.at(-1)
      expect(stand.model.strange).toEqual([])
      expect(stand.model.turns.length).toBe(3)
      expect(last?.text).toContain('Name it after the price')
    },
  )
}
