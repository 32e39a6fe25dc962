import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ancestorsOf, childOf, type Overlay, type RelPath, ROOT } from '../../overlay/index.js'
import type { CommandEnd } from '../../src/terminal/command-io.js'
import { NO_SPOOL, openCopyPlace } from '../../src/terminal/copy-place.js'
import type { Effect, Effects } from '../../src/terminal/effects.js'
import type * as treeScan from '../../src/terminal/tree-scan.js'
import { overlayOver } from '../overlay/bench.js'

/**
 * A copy is updated from the stage, and its effects are read, by the times of the entries. Each time the whole trees
 * are compared too: both ways find the same.
 */

/** The scans, exact to the tick of the clock, because their margin would hide their misses. */
const scans = vi.hoisted(() => ({ count: 0, failed: 0, isBroken: false, times: new Map<string, bigint>() }))

vi.mock('../../src/terminal/tree-scan.js', async (original) => {
  const real = await original<typeof treeScan>()
  const changedEntries: typeof real.changedEntries = async (scan, shell) => {
    const { tree, proof } = scan
    const isCopy = proof.endsWith('/mark')
    const since = (isCopy ? fs.lstatSync(proof, { bigint: true }).ctimeNs : scans.times.get(tree)) ?? scan.since
    scans.times.set(tree, fs.lstatSync(proof, { bigint: true }).ctimeNs)
    const found = scans.isBroken ? undefined : await real.changedEntries({ ...scan, since }, shell)
    scans.count++
    if (found === undefined) scans.failed++
    return found
  }
  return { ...real, changedEntries }
})

afterEach(() => Object.assign(scans, { count: 0, failed: 0, isBroken: false }))

const FILES = {
  a: 'a\n',
  'd/b': 'b\n',
  'd/e/c': 'c\n',
  'd/e/deep/x': 'x\n',
  'f/g': 'same\n',
  'f/h': 'same\n',
  '.git/HEAD': 'ref\n',
  '.git/index': 'i\n',
  '.git/refs/heads/main': '0\n',
  'd/.git/HEAD': 'nested\n',
}

const END: CommandEnd = { exitCode: 0, stdout: '', stderr: '', truncated: false, began: true }
const withAncestors = (path: RelPath) => [path, ...ancestorsOf(path)]
const isKept = (path: RelPath) => /(^|\/)(keep[^/]*|k)$/.test(path)

function setUpCopy() {
  const { root, overlay, dispose } = overlayOver(FILES)
  onTestFinished(dispose)
  const place = openCopyPlace(root, {
    isolation: 'sandbox',
    startsWith: 'command',
    isAlive: true,
    async run({ args: [program = '', ...args] }) {
      spawnSync(program, args, { cwd: place.written, stdio: 'ignore' })
      return END
    },
    close: async () => undefined,
    ...NO_SPOOL,
  })
  onTestFinished(() => place.close())
  const seed = async (closed: readonly RelPath[] = []) => {
    await place.prepare?.('seed')
    place.seed(overlay, closed)
  }
  const run = (command: string) =>
    place.run({
      args: ['/bin/sh', '-c', command],
      cwd: root,
      env: {},
      network: false,
      processes: 1,
      visibility: { hidden: [], shown: [] },
      readOnlyNames: [],
    })
  const read = () => place.effects({ overlay, isLive: false, isKept })
  return { root, overlay, place, seed, run, read }
}

/** The contents that a copy must show: the whole stage, and kept files. */
function stagedTree(overlay: Overlay, dir: RelPath = ROOT): Record<string, string> {
  const files: Record<string, string> = {}
  for (const { name, type } of overlay.readdir(dir)) {
    const path = childOf(dir, name)
    const mode = ((overlay.lstat(path)?.mode ?? 0) & 0o777).toString(8)
    if (type === 'symlink') files[path] = `link ${overlay.readlink(path)}`
    else if (type === 'file') files[path] = `file ${mode} ${overlay.read(path)}`
    else if (type === 'dir') Object.assign(files, { [path]: `dir ${mode}` }, stagedTree(overlay, path))
  }
  return files
}

function diskTree(root: string, dir: RelPath = ROOT): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of fs.readdirSync(`${root}/${dir}`)) {
    const path = childOf(dir, name)
    const stats = fs.lstatSync(`${root}/${path}`, { throwIfNoEntry: false })
    // A name that is not UTF-8, which cannot be staged.
    if (stats === undefined || isKept(path)) continue
    const mode = (stats.mode & 0o777).toString(8)
    if (stats.isSymbolicLink()) files[path] = `link ${fs.readlinkSync(`${root}/${path}`)}`
    else if (stats.isFile()) files[path] = `file ${mode} ${fs.readFileSync(`${root}/${path}`)}`
    else if (stats.isDirectory()) Object.assign(files, { [path]: `dir ${mode}` }, diskTree(root, path))
    else files[path] = 'other'
  }
  return files
}

function summary({ effects, kept }: Effects) {
  const word = (effect: Effect) => {
    if (effect.kind === 'file') return `${effect.path} file ${effect.mode} ${effect.ino} ${effect.read()}`
    return `${effect.path} ${JSON.stringify(effect)}`
  }
  return { effects: effects.map(word).sort(), kept: [...kept].sort() }
}

const path = fc.constantFrom(
  'a',
  'b',
  'd',
  'd/b',
  'd/e',
  'd/e/c',
  'd/e/deep',
  'f',
  'f/g',
  'f/h',
  'n',
  'n/a',
  'n/e/c',
  'k',
  'd/keep',
  '.git',
  '.git/HEAD',
  '.git/x',
)
const text = fc.constantFrom('', 'x', 'y', 'same', 'longer than the rest')
const command = fc.oneof(
  fc.tuple(text, path).map(([words, to]) => `printf '${words}' > ${to}`),
  fc.tuple(text, path).map(([words, to]) => `printf '${words}' >> ${to}`),
  path.map((at) => `rm -rf ${at}`),
  path.map((at) => `rm -rf ${at} && mkdir ${at}`),
  path.map((at) => `mkdir -p ${at}`),
  path.map((at) => `touch ${at}`),
  fc.tuple(path, path).map(([from, to]) => `mv -T ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `mv ${from} ${to}`),
  // Two directories swap places: their parent has the same names.
  fc.tuple(path, path).map(([from, to]) => `mv -T ${from} swap && mv -T ${to} ${from} && mv -T swap ${to}`),
  fc.tuple(path, fc.constantFrom('y', 'y/z', 'k')).map(([from, to]) => `cp -rp ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `ln -f ${from} ${to}`),
  fc.tuple(path, path).map(([target, at]) => `ln -sfn ${target} ${at}`),
  fc.tuple(path, path).map(([target, at]) => `rm -rf ${at}; ln -s ${target} ${at}`),
  fc.tuple(fc.constantFrom('700', '750', '777'), path).map(([mode, at]) => `chmod ${mode} ${at}`),
  // Reading a locked directory unlocks it, so only the first of two readings would see its mode.
  path.map((at) => `test -d ${at} || chmod 600 ${at}`),
  // The same size and time as before.
  path.map((at) => `touch -r ${at} t; sed -i y/abcxs/ABCXS/ ${at}; touch -r t ${at}; rm t`),
  path.map((at) => `mkfifo ${at}`),
  path.map((at) => `printf x > "$(printf '${at}\\nline')"`),
  path.map((at) => `printf x > "$(printf '${at}\\377')"`),
)
const disk = fc.oneof(
  { weight: 5, arbitrary: command.filter((each) => !/mkfifo|377|keep|k\b/.test(each)) },
  fc.tuple(path, path).map(([target, at]) => `rm -rf ${at}; ln -s ${target} ${at}`),
)
const edit = fc.oneof(
  fc.record({ op: fc.constant('put' as const), at: path, text }),
  fc.record({ op: fc.constant('remove' as const), at: path, text }),
  fc.record({ op: fc.constant('mkdir' as const), at: path, text }),
  fc.record({ op: fc.constant('symlink' as const), at: path, text }),
  fc.record({ op: fc.constant('mode' as const), at: path, text }),
  fc.record({ op: fc.constant('link' as const), at: path, to: path, text }),
  fc.record({ op: fc.constant('move' as const), at: path, to: path, text }),
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

function apply(overlay: Overlay, each: Edit): void {
  const at = each.at as RelPath
  try {
    if (each.op === 'put') overlay.put(at, Buffer.from(each.text))
    else if (each.op === 'remove') overlay.remove(at)
    else if (each.op === 'mkdir') overlay.mkdir(at, 0o755)
    else if (each.op === 'symlink') overlay.symlink('a', at)
    else if (each.op === 'mode') overlay.setattr(at, { mode: 0o700 })
    else if ('to' in each && each.op === 'link') overlay.link(at, each.to as RelPath)
    else if ('to' in each) overlay.move(at, each.to as RelPath)
  } catch {
    // The stage refuses it, as a disk would.
  }
}

const steps = fc.array(
  fc.record({
    disk: fc.array(disk, { maxLength: 2 }),
    edits: fc.array(edit, { maxLength: 2 }),
    closed: fc.option(path, { freq: 8, nil: undefined }),
    script: fc.array(command, { maxLength: 4 }),
    isRunTwice: fc.boolean(),
  }),
  { minLength: 3, maxLength: 5 },
)

const RUNS = Math.ceil(Number(process.env.ESCROWFS_FUZZ_RUNS ?? 60) / 3)

describe('a copy that is compared by its times', { timeout: 300_000 + RUNS * 2_000 }, () => {
  it('matches the stage, and has the same effects as in a full comparison', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const { root, overlay, place, seed, run, read } = setUpCopy()
        await seed()
        for (const { disk, edits, closed, script, isRunTwice } of sequence) {
          spawnSync('/bin/sh', ['-c', disk.join('\n')], { cwd: root, stdio: 'ignore' })
          for (const each of edits) apply(overlay, each)
          const hidden = closed === undefined ? [] : [closed as RelPath]
          await seed(hidden)
          const wanted = Object.entries(stagedTree(overlay)).filter(
            ([at]) =>
              !withAncestors(at as RelPath).some(isKept) &&
              !hidden.some((each) => at === each || at.startsWith(`${each}/`)),
          )
          expect(diskTree(place.written)).toEqual(Object.fromEntries(wanted))
          expect(place.git?.isChanged()).toBe(false)
          await run(script.join('\n'))
          await place.prepare?.('effects')
          const quick = summary(read())
          const stamp = place.git?.stamp()
          const whole = summary(read())
          expect(quick, script.join('\n')).toEqual(whole)
          expect(place.git?.stamp()).toBe(stamp)
          if (isRunTwice) await run('echo later > a; mkdir -p n; rm -rf f/h; echo x > .git/HEAD')
        }
        await place.close()
      }),
      { numRuns: RUNS },
    )
    expect(scans.count).toBeGreaterThan(RUNS)
    expect(scans.failed).toBeLessThan(scans.count / 2)
  })
})
