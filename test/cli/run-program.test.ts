import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openShell, readersHome } from '../docs/reader.js'

let home = ''
let shell: ReturnType<typeof openShell>
beforeAll(() => {
  home = readersHome()
  shell = openShell(home, { HOME: home, XDG_STATE_HOME: `${home}/state`, LC_ALL: 'C' })
  shell(
    "mkdir -p shop/src && cd shop && echo a > src/a && escrow init --approval-by any && escrow intents add Everything --scope '**'",
  )
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

/** Runs a program with `escrow run` in a new terminal of script(1). */
function inTerminal(session: string, program: string) {
  fs.writeFileSync(`${home}/program`, `${program}\n`)
  fs.copyFileSync(`${home}/program`, `${home}/shop/program`)
  const result = shell(`script -qec "escrow run --session ${session} --intent INT-001 -- sh program" /dev/null`)
  return { ...result, lines: result.stdout.split(/\r?\n/) }
}

describe('escrow run', () => {
  it('gives the program the terminal with job control, and exits with its code', () => {
    const { status, lines, stdout } = inTerminal(
      'one',
      `test -t 0 && test -t 1 && test -t 2 && echo terminal
bash -i -c 'sleep 0 & wait; echo controlled'
echo "session $ESCROW_SESSION"
rm src/a; echo x > src/made
exit 7`,
    )
    expect(status).toBe(7)
    for (const line of ['terminal', 'controlled', 'session one']) expect(lines).toContain(line)
    expect(stdout).not.toMatch(/no job control|cannot set terminal/)
    expect(stdout.replaceAll('\r', '')).toContain(
      "deleted: src/a\ncreated: src/made\n2 changes staged in session 'one'. See them with 'escrow diff one'",
    )
    expect(fs.readdirSync(`${home}/shop/src`)).toEqual(['a'])
    expect(shell('escrow diff one').stdout).toContain('src/made')
  })

  it('does not let it type into the terminal', () => {
    const { stdout } = inTerminal(
      'two',
      `perl -e 'open T, "<", "/dev/tty" or die; my $c = "x"; print ioctl(T, 0x5412, $c) ? "pushed" : $!+0, "\\n"'`,
    )
    expect(stdout).toMatch(/^1\r?$/m)
  })

  it('does not let it signal the process group they share', () => {
    const { status, lines } = inTerminal(
      'group',
      'kill -TERM 0; kill -KILL 0; echo "still here"; sh -c "kill -TERM \\$\\$"; echo "$?"',
    )
    expect(status).toBe(0)
    expect(lines).toContain('still here')
    expect(lines).toContain('143')
  })

  it('passes only the named secrets, and no network unless policy allows it', () => {
    const run = (options: string) =>
      shell(`A_TOKEN=t B_TOKEN=u escrow run ${options} -- sh -c 'echo "$A_TOKEN $B_TOKEN"'`)
    expect(run('--env A_TOKEN').stdout).toBe('t \n')
    expect(run('--env A_TOKEN=x --env B_TOKEN').stdout).toBe('x u\n')
    expect(run('').stderr).toContain("Name one with '--intent'")
    const refused = run('--network')
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('(access_denied)')])
  })

  it('says which changes are from earlier if the program changes nothing', () => {
    const run = (program: string) => shell(`escrow run --session again --intent INT-001 -- ${program}`).stderr
    expect(run("sh -c 'echo x > src/again'")).toContain(
      "created: src/again\n1 change staged in session 'again'. See it with 'escrow diff again'",
    )
    expect(run('true')).toContain(
      "Nothing changed.\nSession 'again' has 1 change from earlier. See it with 'escrow diff again'",
    )
  })

  it('a run whose changes were committed meanwhile reports them', async () => {
    const bin = `${home}/node_modules/.bin/escrow`
    const env = { ...process.env, HOME: home, XDG_STATE_HOME: `${home}/state` }
    const program = 'echo x > src/meanwhile; echo ready; read line'
    const child = spawn(bin, ['run', '--session', 'meanwhile', '--intent', 'INT-001', '--', 'sh', '-c', program], {
      ...{ cwd: `${home}/shop`, env, stdio: ['pipe', 'pipe', 'pipe'] },
    })
    let report = ''
    child.stderr.on('data', (chunk) => {
      report += chunk
    })
    await once(child.stdout, 'data')
    await vi.waitFor(() => expect(shell('escrow approve meanwhile --by p').status).toBe(0), { timeout: 60_000 })
    expect(shell('escrow commit meanwhile')).toMatchObject({ status: 0, stderr: '' })
    child.stdin.end('go on\n')
    await once(child, 'close')
    expect(report).toContain("\n1 path committed while it ran.\n0 changes staged in session 'meanwhile'.\n")
  })

  it('a run ended by a signal stages the changes up to then', async () => {
    const program = "trap '' TERM; echo x > src/late; echo ready; while :; do sleep 0.05; done"
    const bin = `${home}/node_modules/.bin/escrow`
    const env = { ...process.env, HOME: home, XDG_STATE_HOME: `${home}/state` }
    const child = spawn(bin, ['run', '--session', 'late', '--intent', 'INT-001', '--', 'sh', '-c', program], {
      ...{ cwd: `${home}/shop`, env, stdio: ['ignore', 'pipe', 'ignore'] },
    })
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    const [status] = await once(child, 'close')
    expect(status).toBe(143)
    expect(shell('escrow diff late').stdout).toContain('src/late')
  })
})

describe('the reviewer', () => {
  it('is never an agent in its session', () => {
    for (const line of [
      'approve one',
      'reject one src/made --reason no',
      'commit one',
      'discard one src/made',
      'undo 1',
      'answer one q allow',
      "intents scope INT-001 --add '/**'",
      'intents status INT-001 COMPLETED',
      'intents add Another',
    ]) {
      const { status, stderr } = shell(`ESCROW_SESSION=one escrow ${line}`)
      expect([line, status, stderr]).toEqual([
        line,
        1,
        expect.stringContaining('runs inside session one. (access_denied)'),
      ])
    }
    expect(shell('ESCROW_SESSION=one escrow intents scope INT-001').status).toBe(0)
  })

  it('is at a terminal or has a key, if policy requires a person', () => {
    const policy = `${home}/shop/.orchestration/policy.yaml`
    const run = "escrow run --session person --intent INT-001 -- sh -c 'echo x > src/one; echo y > src/two'"
    expect(shell(run).status).toBe(0)
    fs.writeFileSync(policy, 'approval: { by: person }\n')
    expect(shell('escrow approve person')).toMatchObject({ status: 1, stderr: expect.stringContaining('no terminal') })
    expect(shell('script -qec "escrow approve person src/one" /dev/null').status).toBe(0)
    const { file } = JSON.parse(shell('escrow keys --reviewer --json').stdout) as { file: string }
    expect(shell(`ESCROW_REVIEWER_KEY=${file} escrow approve person`)).toMatchObject({ status: 0, stderr: '' })
    fs.writeFileSync(policy, 'access: {}\n')
  })
})
