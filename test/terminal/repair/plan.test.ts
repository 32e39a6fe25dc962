import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TriedContainment } from '../../../src/core/protection.js'
import { applyRepair, elevated } from '../../../src/terminal/repair/apply.js'
import { thisMachine } from '../../../src/terminal/repair/machine.js'
import { installCommands, MANAGER_NAMES } from '../../../src/terminal/repair/packages.js'
import { planRepairs } from '../../../src/terminal/repair/plan.js'
import { machineOf } from './machine.js'

const about = { title: 'a mount', keeps: [], tree: 'overlay', cannot: [], lacks: [] } as const
const failedContainment = (what: string): TriedContainment => ({
  ...about,
  name: 'namespace-overlay',
  works: false,
  failure: { what, problem: 'not permitted', fix: 'allow it' },
})
const workingContainment = (name: TriedContainment['name']): TriedContainment => ({ ...about, name, works: true })
const REFUSED = [failedContainment('user namespaces'), failedContainment('Landlock')]
const LINUX_PROGRAMS = { bwrap: 0, unshare: 0, nsenter: 0, prlimit: 0 }
const UBUNTU = { '/etc/os-release': 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n' }
const RESTRICTED = { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n', ...UBUNTU }

describe('packages', () => {
  it.each([
    [
      'ID=debian',
      'apt-get',
      [
        ['apt-get', 'update'],
        ['apt-get', 'install', '-y', 'bubblewrap'],
      ],
    ],
    ['ID=fedora', 'dnf', [['dnf', 'install', '-y', 'bubblewrap']]],
    ['ID=alpine', 'apk', [['apk', 'add', 'bubblewrap']]],
    ['ID=manjaro\nID_LIKE=arch', 'pacman', [['pacman', '-S', '--needed', '--noconfirm', 'bubblewrap']]],
    [
      "ID='opensuse-leap'\nID_LIKE='suse opensuse'",
      'zypper',
      [['zypper', '--non-interactive', 'install', 'bubblewrap']],
    ],
  ])('of a distribution with %s are installed by %s', (release, program, commands) => {
    // Another distribution's package manager is a program like any other.
    const programs = { ...Object.fromEntries([...MANAGER_NAMES].map((each) => [each, 0])), [program]: 0 }
    const machine = machineOf({ files: { '/etc/os-release': `${release}\n` }, programs })
    expect(installCommands(machine, ['bubblewrap'])).toEqual(commands)
  })

  it('are looked up first only if apt has no lists', () => {
    const files = { '/etc/os-release': 'ID=debian\n', '/var/lib/apt/lists/deb_main_binary-amd64_Packages.lz4': '' }
    expect(installCommands(machineOf({ files, programs: { 'apt-get': 0 } }), ['a', 'b'])).toEqual([
      ['apt-get', 'install', '-y', 'a', 'b'],
    ])
  })

  it('are named if no package manager is known, and nothing is run', () => {
    const { repairs, notes } = planRepairs(REFUSED, machineOf({ programs: {}, kernel: '6.12.0' }))
    expect(repairs).toEqual([])
    expect(notes).toEqual(['Install bubblewrap and util-linux. None of apt-get, dnf, apk, pacman, zypper is here.'])
  })

  it("are found by this machine's own package manager, which installs nothing here", () => {
    const commands = installCommands(thisMachine(), ['bubblewrap'])
    const [program = '', ...args] = commands?.at(-1) ?? []
    if (program !== 'apt-get') return expect([undefined, ...MANAGER_NAMES]).toContain(commands && program)
    // Lists of packages, if there are any, name it.
    const { status, stdout, stderr } = spawnSync('apt-get', ['-s', ...args], { encoding: 'utf8' })
    if (commands?.length === 1) expect([status, stdout]).toEqual([0, expect.stringContaining('bubblewrap')])
    else expect(`${stdout}${stderr}`).toContain('bubblewrap')
  })
})

describe('a system setting', () => {
  const programs = { ...LINUX_PROGRAMS, 'apt-get': 0, sudo: 0, sysctl: 0 }

  it('is offered with its consequences, if it blocks user namespaces and nothing contains commands', () => {
    const { repairs, notes } = planRepairs(REFUSED, machineOf({ files: RESTRICTED, programs }))
    expect(repairs).toEqual([
      {
        name: 'kernel.apparmor_restrict_unprivileged_userns',
        gives: expect.any(String),
        opens: expect.stringContaining('Every program of every user may then create user namespaces'),
        commands: [['sysctl', '-w', 'kernel.apparmor_restrict_unprivileged_userns=0']],
      },
    ])
    expect(notes).toEqual([expect.stringContaining('apt-get install linux-generic-hwe-24.04, then restart')])
  })

  it('is not offered if another provider works, in a container, or to root, who is exempt', () => {
    const plan = (machine: Parameters<typeof machineOf>[0], tried = REFUSED) =>
      planRepairs(tried, machineOf({ files: RESTRICTED, programs, ...machine }))
    expect(plan({}, [failedContainment('user namespaces'), workingContainment('landlock-copy')])).toEqual({
      repairs: [],
      notes: [],
    })
    expect(plan({ uid: 0 }).repairs).toEqual([])
    const inContainer = plan({ files: { ...RESTRICTED, '/.dockerenv': '' } })
    expect(inContainer.repairs).toEqual([])
    expect(inContainer.notes[0]).toContain('This is a container')
    expect(plan({ platform: 'darwin' })).toEqual({ repairs: [], notes: [] })
  })

  it('is offered to root, too, if the kernel has no user namespaces', () => {
    const files = { '/proc/sys/user/max_user_namespaces': '0\n', '/proc/sys/kernel/unprivileged_userns_clone': '0\n' }
    const names = (uid: number) =>
      planRepairs(REFUSED, machineOf({ files, programs, uid })).repairs.map(({ name }) => name)
    expect(names(0)).toEqual(['user.max_user_namespaces'])
    expect(names(1000)).toEqual(['kernel.unprivileged_userns_clone', 'user.max_user_namespaces'])
  })
})

it('nothing is offered if the best provider works, and only packages if another one does', () => {
  const machine = machineOf({ files: RESTRICTED, programs: { 'apt-get': 0 } })
  expect(planRepairs([workingContainment('namespace-overlay')], machine)).toEqual({ repairs: [], notes: [] })
  const { repairs } = planRepairs([failedContainment('bubblewrap'), workingContainment('landlock-copy')], machine)
  expect(repairs.map(({ name }) => name)).toEqual(['bubblewrap', 'util-linux'])
})

it('the notes name the fix from Linux 6.12 on, and the module of overlayfs is offered', () => {
  const notes = (kernel: string) =>
    planRepairs([failedContainment('koffi')], machineOf({ kernel, programs: LINUX_PROGRAMS })).notes
  expect(notes('6.12.1')).toEqual([expect.stringContaining('npm install koffi')])
  expect(notes('7.0.0')).toEqual([expect.stringContaining('npm install koffi')])
  expect(notes('5.15.0')).toEqual([expect.stringContaining('This is 5.15.0.')])
  const files = { '/proc/filesystems': 'nodev\ttmpfs\n\text4\n' }
  expect(planRepairs(REFUSED, machineOf({ files, programs: LINUX_PROGRAMS })).repairs).toMatchObject([
    { name: 'overlay', commands: [['modprobe', 'overlay']] },
  ])
})

describe('a repair', () => {
  const repair = {
    name: 'bubblewrap',
    gives: '',
    commands: [
      ['apt-get', 'update'],
      ['apt-get', 'install', '-y', 'x y'],
    ],
  }

  it('runs its commands in order, as root or by sudo or doas', async () => {
    for (const [uid, elevator] of [
      [0, undefined],
      [1000, 'sudo'],
      [1000, 'doas'],
    ] as const) {
      const machine = machineOf({ uid, programs: { 'apt-get': 0, ...(elevator && { [elevator]: 0 }) } })
      expect(await applyRepair(repair, machine)).toBe(true)
      const own = ['apt-get update', 'apt-get install -y x y']
      expect(machine.calls()).toEqual(elevator ? own.flatMap((each) => [`${elevator} ${each}`, each]) : own)
    }
  })

  it('stops at the first command that fails or is missing', async () => {
    const failing = machineOf({ uid: 0, programs: { 'apt-get': 100 } })
    expect(await applyRepair(repair, failing)).toBe(false)
    expect(failing.calls()).toEqual(['apt-get update'])
    expect(await applyRepair(repair, machineOf({ uid: 0 }))).toBe(false)
  })

  it('is not run if this user cannot become root', async () => {
    const machine = machineOf({ uid: 1000, programs: { 'apt-get': 0 } })
    expect(elevated(repair, machine)).toBeUndefined()
    expect(await applyRepair(repair, machine)).toBe(false)
    expect(machine.calls()).toEqual([])
  })
})

it('no setting is offered without its consequences, on any machine', () => {
  const value = fc.constantFrom('0', '1', undefined)
  const facts = fc.record({
    apparmor: value,
    clone: value,
    max: value,
    uid: fc.constantFrom(0, 1000),
    apt: fc.boolean(),
  })
  fc.assert(
    fc.property(facts, ({ apparmor, clone, max, uid, apt }) => {
      const settings = { apparmor_restrict_unprivileged_userns: apparmor, unprivileged_userns_clone: clone }
      const files = Object.entries(settings).map(([name, text]) => [`/proc/sys/kernel/${name}`, text] as const)
      const all = [...files, ['/proc/sys/user/max_user_namespaces', max] as const]
      const machine = machineOf({
        uid,
        files: Object.fromEntries(all.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]]))),
        programs: apt ? { 'apt-get': 0 } : {},
      })
      for (const { commands, opens } of planRepairs(REFUSED, machine).repairs)
        expect(commands.some(([program]) => program === 'sysctl')).toBe(opens !== undefined)
    }),
    { numRuns: 60 },
  )
})
