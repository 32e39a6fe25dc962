import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compileOnce } from '../../support/compiled.js'
import { tempDir } from '../../support/facade.js'
import { countProcesses } from '../../support/processes.js'
import { withProvider } from '../../support/providers.js'
import { stateOf } from '../../support/state.js'
import { systemCall } from '../../support/system-calls.js'
import { site } from '../site.js'

/** Attacks that a namespace would refuse, tried on a copy under Landlock. The test checks the machine afterwards. */

/** A directory of the person with a file, next to the workspace. */
function setUpOutside() {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  fs.writeFileSync(`${path}/file`, 'of the person\n')
  fs.chmodSync(`${path}/file`, 0o640)
  fs.utimesSync(`${path}/file`, 1_000_000, 1_000_000)
  // The change time shows that an attribute was set, even to its old value.
  const attributesOf = (at: string) => {
    const { mode, mtimeNs, ctimeNs, uid, gid, nlink, ino } = fs.lstatSync(at, { bigint: true })
    return { mode, mtimeNs, ctimeNs, uid, gid, nlink, ino }
  }
  const snapshot = () => ({
    names: fs.readdirSync(path),
    text: fs.readFileSync(`${path}/file`, 'utf8'),
    directory: attributesOf(path),
    file: attributesOf(`${path}/file`),
  })
  return { path, file: `${path}/file`, snapshot }
}

/** Perl code for a system call; empty if this machine does not have the call. */
function perlCall(name: string, ...args: readonly (string | number)[]): string {
  const number = systemCall(name)
  return number === undefined ? '0' : `syscall(${[number, ...args].join(', ')})`
}

/** The settings that one process may change in another: limits, priorities, scheduler and processors. */
function settingsOf(pid: number): string[] {
  const ask = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: 'utf8' }).stdout.trim()
  return [
    fs.readFileSync(`/proc/${pid}/limits`, 'utf8'),
    ask('ps', '-o', 'ni=', '-p', `${pid}`),
    ask('ionice', '-p', `${pid}`),
    ask('taskset', '-p', `${pid}`),
    ask('chrt', '-p', `${pid}`),
  ]
}

/** A process that receives datagrams at a path. */
async function datagramReceiver(path: string): Promise<ChildProcess> {
  const script = `use Socket; $| = 1; socket(S, AF_UNIX, SOCK_DGRAM, 0); bind(S, sockaddr_un("${path}")) or die; print "bound"; while (1) { recv(S, $b, 9, 0) }`
  const child = spawn('perl', ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

describe('without namespaces', () => {
  withProvider('landlock-copy')

  it('no attribute of a file outside is changed, by any name of it', async () => {
    const { session } = await site()
    const { path, file, snapshot } = setUpOutside()
    const before = snapshot()
    const ways = [
      `chmod 777 ${file}`,
      `chmod 777 ${path}`,
      `cd ${path} && chmod 777 file`,
      `ln -s ${file} l && chmod 777 l`,
      `ln -s ${path} d && chmod 777 d/file && touch d/file`,
      `touch -d 2020-01-01 ${file}; touch -a ${file}; touch -h ${file}`,
      `chmod 777 /proc/self/root${file}; chmod 777 /proc/thread-self/root${file}`,
      `chown 12345 ${file}; chgrp 12345 ${file}; chown -h 12345:12345 ${file}`,
      `cd ${path}; chmod 777 ./file ../*/file`,
      `perl -e 'utime 5, 5, "${file}"; chmod 0777, "${file}"; truncate "${file}", 0; unlink "${file}"; rename "${file}", "x"'`,
      `perl -e '$n = "user.x"; $v = "y"; $p = "${file}"; ${perlCall('setxattr', '$p', '$n', '$v', 1, 0)}; ${perlCall('lsetxattr', '$p', '$n', '$v', 1, 0)}'`,
      `ln ${file} hard && chmod 777 hard`,
      `mv ${file} src/; mv src/a.ts ${path}/; mkdir ${path}/d; mknod ${path}/p p; mkfifo ${path}/f`,
      `perl -e 'open F, "<", "${file}" and ${perlCall('fchmod', 'fileno(F)', '0777')}'`,
      `perl -e '$p = "${file}"; ${perlCall('fchmodat2', -100, '$p', '0777', 0)}; ${perlCall('fchmodat', -100, '$p', '0777')}; ${perlCall('chmod', '$p', '0777')}'`,
    ]
    for (const way of ways) {
      await session.exec(`${way} 2>/dev/null; :`)
      expect([way, snapshot()]).toEqual([way, before])
    }
  })

  it('the attributes of files in the copy change as on a disk', async () => {
    const { session, root } = await site({ 'src/a.sh': 'echo run\n', 'src/b.ts': 'b\n' })
    const script =
      'chmod +x src/a.sh && ./src/a.sh && ln -s a.sh src/l && chmod 700 src/l && touch -h -d 2001-02-03 src/l && touch -d 2020-01-02T03:04:05Z src/b.ts && ' +
      'cp -p src/b.ts "$TMPDIR/b" && stat -c "%a %Y" src/a.sh "$TMPDIR/b" && cd src && chmod 600 b.ts && exec 5< b.ts && chmod 644 /dev/fd/5 && chown "$(id -u):$(id -g)" b.ts && stat -c %a b.ts'
    const { stdout, stderr, exitCode } = await session.exec(script)
    expect([stderr, exitCode]).toEqual(['', 0])
    const changed = Math.floor(fs.statSync(`${root}/src/a.sh`).mtimeMs / 1000)
    expect(stdout).toBe(`run\n700 ${changed}\n644 1577934245\n644\n`)
    expect(session.fs.statSync(`${root}/src/a.sh`).mode & 0o777).toBe(0o700)
    expect(session.fs.statSync(`${root}/src/b.ts`).mtime.toISOString()).toBe('2020-01-02T03:04:05.000Z')
  })

  it('no other process is signalled, read, limited, given another priority, or named an owner of signals', async () => {
    const { session } = await site()
    const startSleep = () => {
      const child = spawn('sleep', ['600'])
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    }
    const other = startSleep()
    const { pid = 0 } = other
    const changeCommands = (id: number) => [
      `prlimit --pid ${id} --cpu=100`,
      `renice 19 ${id}`,
      `ionice -c3 -p ${id}`,
      `chrt --batch -p 0 ${id}`,
      `perl -e '$l = pack("QQ", 100, 100); ${perlCall('prlimit64', id, 0, '$l', 0)}'`,
    ]
    // Without containment each of them changes something.
    for (const at of changeCommands(pid).keys()) {
      const { pid: free = 0 } = startSleep()
      const before = settingsOf(free)
      const way = changeCommands(free)[at] ?? ''
      spawnSync('/bin/sh', ['-c', way])
      expect([way, settingsOf(free)]).not.toEqual([way, before])
    }
    const ways = [
      `kill -9 ${pid}`,
      `cat /proc/${pid}/environ /proc/${pid}/maps /proc/${pid}/mem`,
      `ls /proc/${pid}/cwd/ /proc/${pid}/root/ /proc/${pid}/fd/`,
      ...changeCommands(pid),
      `taskset -p 1 ${pid}`,
      `perl -e '${perlCall('pidfd_send_signal', perlCall('pidfd_open', pid, 0), 9, 0, 0)}'`,
    ]
    const before = settingsOf(pid)
    for (const way of ways) {
      const { stdout } = await session.exec(`{ ${way}; } 2>/dev/null; :`)
      expect([way, stdout.includes('PATH=')]).toEqual([way, false])
      expect([way, other.exitCode, other.signalCode]).toEqual([way, null, null])
      expect([way, settingsOf(pid)]).toEqual([way, before])
    }
    // The command also kills the supervisor that contains it, so none of its changes are staged.
    await expect(session.exec('kill -9 -1; sleep 600')).rejects.toThrow('guards it')
    expect([other.exitCode, other.signalCode]).toEqual([null, null])
  })

  it('the launcher cannot be signalled, read or traced', async () => {
    const { session } = await site()
    const script =
      'kill -9 $PPID; for t in $(ls /proc/$PPID/task); do perl -e "' +
      `${perlCall('tgkill', '$PPID', '$t', 9)}; ${perlCall('tkill', '$t', 9)}` +
      '"; done; ' +
      'cat /proc/$PPID/mem /proc/$PPID/environ /proc/$PPID/maps; ls /proc/$PPID/cwd/; echo x > /proc/$PPID/mem; echo alive'
    const { stdout, exitCode } = await session.exec(`{ ${script}; } 2>/dev/null`)
    expect([stdout, exitCode]).toEqual(['alive\n', 0])
  })

  it('no socket of another program is reached', async () => {
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => server.listen(`${path}/socket`, resolve))
    onTestFinished(() => void server.close())
    const receiver = await datagramReceiver(`${path}/datagrams`)
    onTestFinished(() => void receiver.kill('SIGKILL'))
    const { session } = await site()
    const perl = [
      `use Socket; socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) and connect(A, sockaddr_un("${path}/datagrams")) and send(A, "x", 0) and print "sent"`,
      `use Socket; socket(S, AF_UNIX, SOCK_DGRAM, 0) and send(S, "x", 0, sockaddr_un("${path}/datagrams")) and print "sent"`,
      `use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0) and connect(S, sockaddr_un("${path}/socket")) and print "sent"`,
    ]
    for (const each of perl) {
      const line = `perl -e '${each}' 2>/dev/null; :`
      // Without containment it succeeds.
      expect([each, spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8' }).stdout]).toEqual([each, 'sent'])
      expect([each, (await session.exec(line)).stdout]).toEqual([each, ''])
    }
  })

  it('with some hosts of the network, it listens nowhere and binds no port', async () => {
    const { session } = await site({ 'src/a': 'a', '.orchestration/policy.yaml': 'terminal: { network: true }\n' })
    const perl = [
      'socket(S, AF_INET, SOCK_STREAM, 0) and listen(S, 5) and print "listens"',
      'socket(S, AF_INET, SOCK_STREAM, 0) and bind(S, sockaddr_in(0, INADDR_ANY)) and print "binds"',
      'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) and listen(A, 5) and print "listens"',
    ]
    for (const each of perl) {
      const running = await session.start(
        `perl -e 'use Socket; ${each}' > src/said 2>/dev/null; echo ran >> src/said`,
        {
          hosts: ['nowhere.invalid'],
        },
      )
      expect((await running.wait()).exitCode).toBe(0)
      expect([each, session.fs.readFileSync('src/said', 'utf8')]).toEqual([each, 'ran\n'])
    }
  })

  it('no program gains rights, and no terminal, device or shared memory is opened', async () => {
    const { session } = await site()
    const script =
      'grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs)" /proc/self/status; su -c true; sudo -n true; passwd -S; ls /dev/pts; ' +
      'for each in /dev/ptmx /dev/pts/0 /dev/shm/x /dev/mem /dev/kmsg /dev/sda /dev/vda /dev/fuse; do : > $each && echo opened $each; done; ' +
      'echo x > /proc/self/oom_score_adj; echo x > /sys/kernel/uevent_helper; ls /tmp /run /var/tmp'
    const { stdout } = await session.exec(`{ ${script}; } 2>/dev/null; :`)
    expect(stdout).not.toContain('opened')
    expect(
      stdout
        .split('\n')
        .filter((line) => /^Cap(Eff|Prm)/.test(line))
        .every((line) => /\t0+$/.test(line)),
    ).toBe(true)
    expect(stdout).toContain('NoNewPrivs:\t1')
  })

  it('the workspace and our own files cannot be read by their path', async () => {
    const { session, root } = await site({ 'src/a.ts': 'on disk\n' })
    const state = stateOf(root)
    expect(fs.readdirSync(state)).toContain('sessions')
    const { stdout } = await session.exec(
      `cat ${root}/src/a.ts ${root}/.orchestration/active_intents.yaml; ls ${root} ${state}; cat ${state}/sessions/*/*; :`,
    )
    expect(stdout).toBe('')
  })

  it('a command that ends its guard stages nothing', async () => {
    const { session } = await site()
    const ending = session.exec('echo x > src/new; kill -9 -1; sleep 600')
    await expect(ending).rejects.toThrow('guards it')
    expect((await session.changes()).changes).toEqual([])
    expect((await session.exec('echo on')).stdout).toBe('on\n')
  })
})

describe('every process of a command without namespaces', () => {
  withProvider('landlock-copy')

  it('ends with it, in another session or forked twice', async () => {
    const { session } = await site()
    const mark = `600.${process.pid}`
    const script = `perl -e 'for (1..3) { if (!fork) { use POSIX; POSIX::setsid(); if (!fork) { sleep ${mark} } exit } } '; sleep ${mark} & setsid sleep ${mark} & echo left`
    const { stdout } = await session.exec(script)
    expect(stdout).toBe('left\n')
    expect(countProcesses(mark)).toBe(0)
  })

  it('ends with us, even if we are killed', async () => {
    const { root } = await site()
    const child = spawn(process.execPath, [`${compileOnce()}/test/children/alone.js`, root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pid = await new Promise<number>((resolve) =>
      child.stdout.once('data', (chunk) => resolve(Number(`${chunk}`.trim()))),
    )
    expect(fs.existsSync(`/proc/${pid}`)).toBe(true)
    child.kill('SIGKILL')
    while (fs.existsSync(`/proc/${pid}`)) await new Promise((resolve) => setTimeout(resolve, 5))
  })
})
