import { spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEFAULT_REQUIRED, nameOfContainment } from '../../../src/core/protection.js'
import { containmentSummary } from '../../../src/exec/contained-by.js'
import type { CommandOptions } from '../../../src/terminal/command-io.js'
import { openFirst } from '../../../src/terminal/containment.js'
import { seatbeltCommand } from '../../../src/terminal/seatbelt/command.js'
import { mxcContract, seatbeltCopy } from '../../../src/terminal/seatbelt/containment.js'
import { openSeatbelt } from '../../../src/terminal/seatbelt/place.js'
import { type SeatbeltRequest, seatbeltProfile } from '../../../src/terminal/seatbelt/profile.js'
import { project } from '../../docs/reader.js'
import { tempDir } from '../../support/facade.js'
import { type Asked, allows } from './sbpl.js'

const hide = (path: string) => ({ path, isDirectory: true })
const plain: SeatbeltRequest = {
  root: '/Users/ann/shop',
  tree: '/private/var/folders/x/T/escrow-copy-1/tree',
  temporary: '/private/var/folders/x/T/escrow-copy-1/tmp',
  home: '/Users/ann',
  visibility: { hidden: [hide('/Users/ann/.ssh')], shown: ['/Users/ann/.ssh/known_hosts'] },
  network: false,
}

/** Any name of a file: quotes, brackets, white space, ends of strings or patterns, other scripts. */
const anyName = fc
  .oneof(
    fc.constantFrom(
      '"',
      "'",
      ')',
      '(',
      '\n',
      '\\',
      '"))(allow default)(',
      '#"',
      '$(x)',
      '=',
      '-D',
      '[a]*?',
      ' ',
      'ü',
      '—',
    ),
    fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
  )
  .map((name) => name.replaceAll(/[/\0]/g, '_'))
  .filter((name) => name !== '.' && name !== '..' && name !== '')
const anyPath = fc.array(anyName, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))

/** Requests in which the workspace, its copy and the hidden paths have any names. */
const anyRequest = fc
  .record({ root: anyPath, copy: anyPath, closed: fc.array(anyPath, { maxLength: 5 }), network: fc.boolean() })
  .map(
    ({ root, copy, closed, network }): SeatbeltRequest => ({
      root: `/Users/ann/${root}`,
      tree: `/private/tmp/${copy}/tree`,
      temporary: `/private/tmp/${copy}/tmp`,
      home: '/Users/ann',
      visibility: { hidden: closed.map((path) => hide(`/Users/bob/${path}`)), shown: [] },
      network,
    }),
  )

const read = (path: string): Asked => ({ operation: 'file-read-data', path })
const write = (path: string): Asked => ({ operation: 'file-write-data', path })

describe('the profile of a command', () => {
  it('is the reviewed one', async () => {
    const { text, parameters } = seatbeltProfile(plain)
    await expect(`${text}\n; ${parameters.join('\n; ')}\n`).toMatchFileSnapshot('closed.sb')
    const open = seatbeltProfile(Object.assign({}, plain, { network: true }))
    await expect(open.text).toMatchFileSnapshot('network.sb')
  })

  it('has the same text for all paths, so no name can add a rule', () => {
    const shape = (request: SeatbeltRequest) =>
      seatbeltProfile(request)
        .text.replaceAll(/\(allow file-read-metadata[^)]*(\)\s*\(literal [^)]*\))*\)\)/g, '')
        .replaceAll(/P\d+/g, 'P')
    fc.assert(
      fc.property(anyRequest, (request) => {
        const { text, parameters } = seatbeltProfile(request)
        expect(text).toMatch(/^[\x20-\x7e\n]*$/)
        const renamed = {
          ...request,
          root: '/Users/ann/r',
          visibility: { hidden: request.visibility.hidden.map((_, index) => hide(`/Users/bob/${index}`)), shown: [] },
        }
        expect(shape(request)).toBe(shape(renamed))
        expect(parameters.every((each) => /^P\d+=\//.test(each))).toBe(true)
        for (const [at, each] of parameters.entries()) expect(each.startsWith(`P${at}=`)).toBe(true)
      }),
    )
  })

  it('grants the copy and temporary files, and nothing of the workspace and what is hidden', () => {
    fc.assert(
      fc.property(anyRequest, anyPath, (request, below) => {
        const profile = seatbeltProfile(request)
        const { root, tree, temporary, visibility } = request
        const isOurs = /(^|\/)\.(git|orchestration)(\/|$)/i.test(below)
        for (const own of [tree, temporary]) expect(allows(profile, read(`${own}/${below}`))).toBe(true)
        expect(allows(profile, write(`${tree}/${below}`))).toBe(!isOurs)
        expect(allows(profile, write(`${temporary}/${below}`))).toBe(true)
        for (const closed of [root, ...visibility.hidden.map(({ path }) => path)])
          for (const path of [closed, `${closed}/${below}`]) {
            expect([path, allows(profile, read(path))]).toEqual([path, false])
            expect([path, allows(profile, write(path))]).toEqual([path, false])
            expect(allows(profile, read(`/System/Volumes/Data${path}`))).toBe(false)
          }
        // Next to the copy: its profile, and other commands' files.
        for (const path of [`${tree}x`, `${tree.slice(0, -5)}/profile-0`, '/private/tmp/other', `/Users/bob/x${below}`])
          expect(allows(profile, write(path))).toBe(false)
      }),
    )
  })

  it('denies git metadata and our own files in the copy, in any case of letters', () => {
    const profile = seatbeltProfile(plain)
    for (const name of [
      '.git',
      '.git/hooks/pre-commit',
      '.GIT/config',
      'deep/.Git/HEAD',
      '.orchestration/policy.yaml',
      '.ORCHESTRATION',
    ])
      expect([name, allows(profile, write(`${plain.tree}/${name}`))]).toEqual([name, false])
    for (const name of ['.gitignore', 'x.git/config', '.github/a', 'git', '.orchestration2'])
      expect([name, allows(profile, write(`${plain.tree}/${name}`))]).toEqual([name, true])
  })

  it('never shows a path below a hidden one, keys and shared directories', () => {
    const profile = seatbeltProfile(plain)
    expect(allows(profile, read('/Users/ann/.ssh/known_hosts'))).toBe(true)
    expect(allows(profile, read('/usr/lib/libSystem.B.dylib'))).toBe(true)
    for (const path of [
      '/Users/ann/.ssh/id_ed25519',
      '/Users/ann/Library/Keychains/login.keychain-db',
      '/Library/Keychains/System.keychain',
      '/private/etc/ssh/ssh_host_ed25519_key',
      '/private/etc/master.passwd',
      '/private/tmp/agent.socket',
      '/private/var/folders/x/T',
      '/dev/disk0',
    ])
      expect([path, allows(profile, read(path))]).toEqual([path, false])
    const withShown = seatbeltProfile(
      Object.assign({}, plain, { visibility: { hidden: [], shown: ['/Users/ann/shop/src'] } }),
    )
    expect(allows(withShown, read('/Users/ann/shop/src/a.ts'))).toBe(false)
    for (const path of ['/etc/hosts', '/Users/ann/.zshrc', '/dev/disk0', '/dev/random', '/'])
      expect([path, allows(profile, write(path))]).toEqual([path, false])
    expect(allows(profile, write('/dev/null'))).toBe(true)
  })

  it('applies the most specific rule of hidden and shown paths, in any order', () => {
    const below = fc
      .array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 4 })
      .map((names) => `/Users/bob/${names.join('/')}`)
    const rules = fc.record({
      hidden: fc.array(below, { maxLength: 4 }),
      shown: fc.array(below, { maxLength: 4 }),
      asked: below,
    })
    fc.assert(
      fc.property(rules, ({ hidden, shown, asked }) => {
        const profile = seatbeltProfile(Object.assign({}, plain, { visibility: { hidden: hidden.map(hide), shown } }))
        const deepest = (paths: readonly string[]) =>
          Math.max(0, ...paths.filter((path) => `${asked}/`.startsWith(`${path}/`)).map((path) => path.length))
        expect(allows(profile, read(asked))).toBe(deepest(shown) >= deepest(hidden))
      }),
    )
  })

  it('has no network, unless all of it is allowed, and never a socket of another program', () => {
    const [closed, open] = [seatbeltProfile(plain), seatbeltProfile(Object.assign({}, plain, { network: true }))]
    const connect: Asked = { operation: 'network-outbound', name: '192.0.2.1:443' }
    const listen: Asked = { operation: 'network-bind', name: '127.0.0.1:80' }
    for (const operation of [connect, listen])
      expect([allows(closed, operation), allows(open, operation)]).toEqual([false, true])
    const socket = (path: string): Asked => ({ operation: 'network-outbound', path })
    for (const profile of [closed, open]) expect(allows(profile, socket('/private/var/run/docker.sock'))).toBe(false)
    expect(allows(open, socket('/private/var/run/mDNSResponder'))).toBe(true)
    expect(allows(closed, socket('/private/var/run/mDNSResponder'))).toBe(false)
  })

  it('allows access to the processes of its own sandbox only, and to no key store', () => {
    const profile = seatbeltProfile(plain)
    for (const operation of ['signal', 'process-info-pidinfo']) {
      expect(allows(profile, { operation, isSameSandbox: true })).toBe(true)
      expect(allows(profile, { operation, isSameSandbox: false })).toBe(false)
    }
    const lookup = (name: string) => allows(profile, { operation: 'mach-lookup', name })
    expect(lookup('com.apple.system.opendirectoryd.libinfo')).toBe(true)
    expect(lookup('com.apple.SecurityServer')).toBe(false)
    for (const name of ['kern.procargs2', 'kern.proc.all'])
      expect(allows(profile, { operation: 'sysctl-read', name })).toBe(false)
    for (const operation of [
      'mach-priv-task-port',
      'iokit-open',
      'appleevent-send',
      'system-fsctl',
      'ipc-posix-shm-write-data',
    ])
      expect(allows(profile, { operation })).toBe(false)
  })

  it('is refused if the copy contains a hidden path', () => {
    const within = { hidden: [hide(`${plain.tree}/secret`)], shown: [] }
    expect(() => seatbeltProfile(Object.assign({}, plain, { visibility: within }))).toThrow('must stay hidden')
  })
})

describe('its command line', () => {
  function dirs() {
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    const scratch = `${path}/a "b)\n$c`
    for (const dir of [`${path}/root`, `${scratch}/tree`, `${scratch}/tmp`]) mkdirSync(dir, { recursive: true })
    return { root: `${path}/root`, scratch }
  }
  const options = (overrides: Partial<CommandOptions>): CommandOptions =>
    Object.assign(
      {
        args: ['-x', 'a b'],
        cwd: '/',
        env: {},
        network: false,
        processes: 1,
        visibility: { hidden: [], shown: [] },
        readOnlyNames: [],
      },
      overrides,
    )

  it('has each path as one argument, and no variable of the command', () => {
    const at = dirs()
    const { args, text } = seatbeltCommand(options({ env: { TOKEN: 'word' } }), at, '/f.sb')
    expect(args.slice(0, 4)).toEqual(['/usr/bin/sandbox-exec', '-f', '/f.sb', '-D'])
    expect(args.slice(-3)).toEqual(['--', '-x', 'a b'])
    expect(args.some((each) => each.endsWith(`=${realpathSync(at.scratch)}/tree`))).toBe(true)
    expect(`${args.join(' ')}${text}`).not.toContain('word')
  })

  it('spells hidden paths as the disk does', () => {
    const at = dirs()
    mkdirSync(`${at.root}/keys`)
    symlinkSync(`${at.root}/keys`, `${at.scratch}/link`)
    const hidden = [hide(`${at.scratch}/link`), hide(`${at.root}/gone`)]
    const { args } = seatbeltCommand(options({ visibility: { hidden, shown: [`${at.scratch}/link`] } }), at, '/f.sb')
    const countParameters = (path: string) => args.filter((each) => each.endsWith(`=${path}`)).length
    expect([countParameters(realpathSync(`${at.root}/keys`)), countParameters(`${at.root}/gone`)]).toEqual([2, 1])
    expect(args.join('\n')).not.toContain('/link')
  })

  it('is refused for protections that it lacks', () => {
    const at = dirs()
    const buildWith = (overrides: Partial<CommandOptions>) => () => seatbeltCommand(options(overrides), at, '/f.sb')
    expect(buildWith({ network: ['example.com'] })).toThrow('some hosts')
    expect(buildWith({ terminal: true })).toThrow('share the terminal')
    const mounts = [{ at: '/Users/ann/.claude', layer: undefined }]
    expect(buildWith({ home: { mounts, readOnly: [], env: {} } })).toThrow('directories of the home')
  })

  it('starts nothing if Seatbelt is missing', async () => {
    const place = await openSeatbelt({ root: dirs().root })
    onTestFinished(() => place.close())
    if (process.platform !== 'darwin')
      await expect(place.run(options({ args: ['/bin/true'] }))).rejects.toThrow('Seatbelt is a part of macOS')
  })
})

describe('providers of other systems', () => {
  it('show their status wherever a person sees their name', async () => {
    expect(nameOfContainment(seatbeltCopy)).toBe('seatbelt-copy (not run on a Mac)')
    expect(seatbeltCopy.title).toContain('not run on a Mac')
    expect(containmentSummary({ isolation: 'sandbox', containment: seatbeltCopy })).toEqual([
      expect.stringContaining('contained by seatbelt-copy (not run on a Mac). It was never run on a Mac'),
    ])
    expect(nameOfContainment(mxcContract)).toBe('mxc-contract (refused on Windows)')
  })

  it.each([
    ['darwin', 'seatbelt-copy'],
    ['win32', 'mxc-contract'],
    ['linux', 'namespace-overlay,namespace-copy,landlock-copy'],
    ['freebsd', 'namespace-overlay,namespace-copy,landlock-copy'],
  ])('are those of %s', (platform, names) => {
    const script = `const child = process
Object.defineProperty(child, 'platform', { value: '${platform}' })
const { CONTAINMENTS } = await import('${project}src/terminal/containments.ts')
process.stdout.write(CONTAINMENTS.map(({ name }) => name).join())`
    const args = ['--import', './ts-node.mjs', '--input-type=module', '-e', script]
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
    expect([stdout, stdout === '' ? stderr : '']).toEqual([names, ''])
  })

  it('do not run a command by default, and say why', async () => {
    const opened = await openFirst([seatbeltCopy], { root: '/' }, DEFAULT_REQUIRED)
    const lacks = ['process_end', 'call_filter', 'process_limit', 'memory_limit']
    expect(opened).toMatchObject({
      failures: [],
      lacking: [{ name: 'seatbelt-copy', caution: 'not run on a Mac', lacks }],
    })
    const refused = await mxcContract.attempt()
    expect(refused).toMatchObject({ works: false, failure: { fix: expect.stringContaining('WSL2') } })
    await expect(mxcContract.open({ root: '/' })).rejects.toThrow('WSL2')
  })
})
