import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemCallLines } from '../../src/terminal/escape-corpus.js'
import { ownArchitecture, SYSTEM_CALLS } from '../../src/terminal/system-calls.js'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'
import { assertWorks, PROVIDERS } from '../support/providers.js'

/**
 * Escapes from a sandbox, each run by exec. The test checks the host afterwards, and that the kernel refused a call.
 */

/** A filter refuses these with EPERM, before it reads an argument. */
const bySyscall = systemCallLines(ownArchitecture())
const CLONE3 = 'clone3 is absent, so the C library falls back'

/** Makes every call in a process of its own, and prints a line for each: its name, the result and errno. */
const systemCalls = Object.entries({
  ...bySyscall,
  [CLONE3]: `perl -e '$r = syscall(${SYSTEM_CALLS.clone3[ownArchitecture()]}, 0, 0); print $r, " ", $!+0'`,
}).map(([name, line]) => `echo '${name}:' "$(${line})"`)

const PROBES: Readonly<Record<string, string>> = {
  'system calls': systemCalls.join('\n'),
  'a sibling': 'echo out > ../outside/file; echo out > ../new',
  home: 'echo out > "$HOME/file"; mkdir -p "$HOME/dir"',
  'proc self root':
    'echo out > "/proc/self/root$PWD/../outside/by-root"; echo out > "/proc/1/root$PWD/../outside/by-init"',
  'a system file': 'echo out > /etc/escrowfs-probe; echo out > /usr/escrowfs-probe',
  'kernel settings':
    'echo escaped > /proc/sys/kernel/hostname; echo "|/bin/sh" > /proc/sys/kernel/core_pattern; echo 1 > /proc/sysrq-trigger',
  unmounting: 'umount "$PWD"; umount -l "$PWD"; umount /tmp',
  mounting: 'mount -t tmpfs none /mnt; mount --bind / /mnt',
  namespaces: 'unshare -Urm true && echo entered; nsenter -t 1 -m true && echo entered',
  'host processes': 'kill -9 HOSTPID; ls /proc | grep -c "^[0-9]"',
  'loopback of the host': `perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(PeerAddr => "127.0.0.1:PORT", Timeout => 2) ? "reached" : "no"'`,
  devices: 'mknod src/device b 8 0; mknod src/null c 1 3; cat /dev/mem; ls /dev/sda /dev/vda /dev/kmsg',
  'a daemon': 'setsid sh -c "sleep 1; echo late > src/late" > /dev/null 2>&1 & echo left',
  'set-user-ID': 'cp /bin/true src/setuid && chmod u+s src/setuid',
  'git renamed and created again': 'mv .git src/git; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit',
  'git hooks': 'mkdir -p .git/hooks; echo evil > .git/hooks/post-commit; echo "[alias] x = !evil" >> .git/config',
  'our own files':
    'echo "access: {}" > .orchestration/policy.yaml; mv .orchestration x; rm -rf .orchestration; ls .orchestration',
  secrets: 'cat "$HOME/.ssh/key" "$HOME/.npmrc"; echo "$SECRET_TOKEN"; cat .orchestration/sessions/*/stage.log',
  'the layers':
    'ls -d /tmp/escrow-layers-*; for r in /proc/*/root; do ls $r/tmp; done 2>/dev/null | grep escrow-layers',
  'a fifo and a socket':
    'mkfifo src/fifo; perl -MIO::Socket::UNIX -e \'IO::Socket::UNIX->new(Local => "src/sock", Listen => 1)\'',
  // Bounded, since a real fork bomb would slow this machine. Each process waits for a pipe that this shell holds open. They are
  // subshells, because starting 1,100 programs takes several times as long.
  'too many processes':
    'p=$(mktemp -u); mkfifo "$p"; exec 3<>"$p"; i=0; while [ $i -lt 1100 ]; do read line <&3 & i=$((i+1)); done; wait',
  'a link out': 'ln -s ../../outside/file src/out; ln -s /etc/passwd src/passwd; ln ../outside/file src/hard',
}

function prepare(uid: number) {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const root = `${path}/workspace`
  const home = `${path}/home`
  for (const dir of [
    root,
    `${root}/src`,
    `${root}/.git`,
    `${root}/.orchestration`,
    home,
    `${home}/.ssh`,
    `${path}/outside`,
  ])
    mkdirSync(dir)
  writeFileSync(
    `${root}/.orchestration/active_intents.yaml`,
    'active_intents:\n  - { id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["**"] }\n',
  )
  writeFileSync(`${root}/.git/config`, '[core]\n')
  writeFileSync(`${home}/.ssh/key`, 'a private key')
  writeFileSync(`${home}/.npmrc`, '//registry/:_authToken=a private token')
  const escapeProbe = (at: string): void => {
    chownSync(at, uid, uid)
    if (lstatSync(at).isDirectory()) for (const name of readdirSync(at)) escapeProbe(`${at}/${name}`)
  }
  if (process.getuid?.() === 0) escapeProbe(path)
  chmodSync(path, 0o755)
  return { path, root, home }
}

/** Everything below a directory outside of ours: names, modes, contents. */
function treeOf(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const at = `${dir}/${name}`
    const stats = lstatSync(at)
    if (name === '.orchestration') return [`${at}/policy.yaml ${existsSync(`${at}/policy.yaml`)}`]
    if (stats.isDirectory()) return [`${at} ${stats.mode}`, ...treeOf(at)]
    return stats.isFile() ? [`${at} ${stats.mode} ${readFileSync(at, 'utf8')}`] : []
  })
}

interface Said {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly refused: string[]
  readonly ended?: string
  readonly containment?: string
  readonly reason?: string
}

const all = process.getuid?.() === 0 ? [0, 65_534] : [process.getuid?.() ?? 0]

/** Another user runs the project's own files: a private directory above them would make every probe fail. */
function assertReachable(file: string): void {
  for (let dir = dirname(file); dir !== '/'; dir = dirname(dir))
    if ((lstatSync(dir).mode & 0o001) === 0)
      throw new Error(`${dir} is closed to other users, and this test runs as one: chmod o+x it, or move the project.`)
}

const users = all.flatMap((uid) => PROVIDERS.map((provider) => [uid, provider] as const))

describe.each(users)('as user %i in %s', { timeout: 300_000 }, (uid, provider) => {
  beforeAll(() => assertWorks(provider))

  it('nothing escapes from exec', () => {
    const { path, root, home } = prepare(uid)
    const before = treeOf(path)
    const state = tempDir('escrowfs-state-')
    onTestFinished(state.dispose)
    if (process.getuid?.() === 0) chownSync(state.path, uid, uid)
    const places = { HOME: home, XDG_STATE_HOME: state.path, TMPDIR: `${path}/home` }
    const env = { ...process.env, ...places, SECRET_TOKEN: 'a private word' }
    const child = `${compileOnce()}/test/children/escaping.js`
    if (uid !== process.getuid?.()) assertReachable(child)
    const args = [child, root, JSON.stringify(PROBES), provider]
    const ran = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env,
      ...(process.getuid?.() === 0 && { uid, gid: uid }),
    })
    expect(ran.stderr).toBe('')
    const results = JSON.parse(ran.stdout) as Record<string, Said>
    expect(Object.keys(results)).toHaveLength(Object.keys(PROBES).length + 1)

    expect(treeOf(path)).toEqual(before)
    for (const at of ['/etc/escrowfs-probe', '/usr/escrowfs-probe']) expect(existsSync(at)).toBe(false)
    for (const [name, { containment, ended }] of Object.entries(results).filter(([name]) => name !== 'planted')) {
      expect([name, containment]).toEqual([name, provider])
      if (name !== 'too many processes') expect([name, ended]).toEqual([name, undefined])
    }
    const refusals = [...Object.keys(bySyscall).map((name) => `${name}: -1 1\n`), `${CLONE3}: -1 38\n`]
    expect(results['system calls']?.stdout).toBe(refusals.join(''))
    const all = JSON.stringify(results)
    for (const word of ['a private', 'reached', 'entered', 'evil"']) expect(all).not.toContain(word)
    // The link was refused, so there is nothing to follow.
    expect(results.planted?.stdout).toBe('')
    expect(results['host processes']?.stderr).toMatch(/kill: |No such process|not permitted/)
    if (provider !== 'landlock-copy') expect(Number(results['host processes']?.stdout)).toBeLessThan(8)
    expect(results['the layers']?.stdout).not.toMatch(/escrow-(layers|copy)/)
    // Without a mount they can be removed from the copy: the removal is refused, and the disk has them.
    if (provider === 'landlock-copy')
      expect(results['our own files']?.refused).toContain('.orchestration/active_intents.yaml: protected_path')
    else expect(results['our own files']?.stdout).toBe('active_intents.yaml\nagent_trace.jsonl\n')
    expect(results['set-user-ID']?.refused).toEqual(['src/setuid: unsupported'])
    expect(results['git renamed and created again']?.refused).toContain('.git: protected_path')
    expect(results['git hooks']?.refused).toEqual(['.git: protected_path'])
    expect(results['a fifo and a socket']?.refused).toEqual(['src/fifo: unsupported'])
    expect(results['a link out']?.refused).toEqual(['src/out: path_escape', 'src/passwd: path_escape'])
    expect(results['too many processes']?.ended ?? results['too many processes']?.stderr).toMatch(
      /processes|Cannot fork/,
    )
    expect(all).not.toContain('src/late')
  })
})
