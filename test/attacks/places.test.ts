import fs from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeOf } from '../../overlay/errno.js'
import { Overlay, openLower, Resolver, Stage } from '../../overlay/index.js'
import { pathText } from '../../overlay/path.js'
import { seed } from '../overlay/bench.js'
import { tempDir } from '../support/facade.js'
import { fuzzParameters } from '../support/fuzz.js'

/**
 * Random spellings on a tree of links: our resolver must agree with the kernel. To ask the kernel, the test opens the path and
 * reads where its descriptor points. A file that does not exist is created, and removed afterwards.
 */

const TREE = {
  'd/e/f/g': 'x',
  'd/file': 'x',
  'D/other': 'x',
  'ä/nfc': 'x',
  'a\u0308/nfd': 'x',
  'dot./x': 'x',
  ' blank /x': 'x',
  'b\\s/x': 'x',
  '%2e%2e/x': 'x',
  '.../x': 'x',
  'empty/': '',
  l: '-> d',
  lf: '-> d/file',
  ls: '-> d/',
  ldot: '-> .',
  lup: '-> ..',
  lout: '-> ../side',
  labs: '-> OUTER/side',
  lroot: '-> /',
  lself: '-> OUTER/ws/d/e',
  lback: '-> ../side/back',
  lnew: '-> d/absent',
  lnewout: '-> ../side/absent',
  lnone: '-> none/absent',
  loop: '-> loop',
  ping: '-> pong',
  pong: '-> ping',
  c1: '-> c2/e',
  c2: '-> l',
  lproc: '-> /proc/self/cwd',
  lslash: '-> ../ws/./d//e/../file',
  'd/e/lrel': '-> ../../lout',
  'd/e/lupup': '-> ../..',
  'd/e/f/lfar': '-> ../../../../side/sub',
}

const NAMES = [
  ...Object.keys(TREE).flatMap((path) => path.split('/')),
  ...[
    'ws',
    'side',
    'sub',
    's',
    'back',
    'absent',
    'none',
    '..',
    '.',
    '',
    'DOT.',
    'd ',
    'd.',
    'd::$DATA',
    '\u200bd',
    'side\\s',
  ],
].filter((name, index, all) => all.indexOf(name) === index)

let outer = ''
let root = ''
let resolver: Resolver
const home = process.cwd()
const dir = tempDir('escrowfs-places-')

beforeAll(() => {
  outer = dir.path
  root = `${outer}/ws`
  fs.mkdirSync(`${outer}/side/sub`, { recursive: true })
  fs.mkdirSync(root)
  fs.writeFileSync(`${outer}/side/s`, 'x')
  fs.symlinkSync('../ws/d', `${outer}/side/back`)
  fs.symlinkSync('ws', `${outer}/alias`)
  seed(root, Object.fromEntries(Object.entries(TREE).map(([name, what]) => [name, what.replace('OUTER', outer)])))
  resolver = new Resolver(new Overlay({ lower: openLower(root), stage: new Stage() }), [`${outer}/alias`])
  process.chdir(root)
})

afterAll(() => {
  process.chdir(home)
  dir.dispose()
})

const O_PATH = 0o10000000

/** Opens a path. Returns the path that the kernel reached, or the code of its error. */
function openedPath(path: fs.PathLike, flags: number): string {
  let fd: number | undefined
  try {
    fd = fs.openSync(path, flags, 0o600)
    return fs.readlinkSync(`/proc/self/fd/${fd}`)
  } catch (error) {
    return codeOf(error) ?? String(error)
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/** Whether the parent directory is in our temporary directory. Nothing is created elsewhere. */
function isParentInside(path: fs.PathLike): boolean {
  const text = path instanceof URL ? fileURLToPath(path) : String(path)
  try {
    const parent = fs.realpathSync.native(text.slice(0, text.lastIndexOf('/') + 1) || '.')
    return parent.startsWith(`${outer}/`)
  } catch {
    return false
  }
}

function resolveByKernel(path: fs.PathLike, follow: 'follow' | 'nofollow'): string {
  const place = openedPath(path, follow === 'follow' ? O_PATH : O_PATH | fs.constants.O_NOFOLLOW)
  // The alias of the root counts as the root, not as a link to it.
  if (place === `${outer}/alias`) return root
  if (place !== 'ENOENT' || !isParentInside(path)) return place
  const { O_CREAT, O_WRONLY, O_EXCL } = fs.constants
  const created = openedPath(path, follow === 'follow' ? O_CREAT | O_WRONLY : O_CREAT | O_WRONLY | O_EXCL)
  if (created.startsWith(`${outer}/`)) fs.unlinkSync(created)
  return created
}

function resolveByUs(path: unknown, follow: 'follow' | 'nofollow'): string {
  try {
    const place = resolver.resolve(pathText(path), follow)
    if (!place.inside) return place.path
    return place.path === '' ? root : `${root}/${place.path}`
  } catch (error) {
    return codeOf(error) ?? String(error)
  }
}

const PREFIXES = [
  '',
  './',
  '../ws/',
  'ROOT/',
  'ROOT//',
  'OUTER/alias/',
  'OUTER/./ws/',
  '/proc/self/cwd/',
  '/proc/self/rootROOT/',
  'OUTER/side/../',
]

const spelling = fc
  .tuple(fc.constantFrom(...PREFIXES), fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 7 }))
  .map(([prefix, names]) => ({ prefix, names }))
const argumentType = fc.constantFrom('text', 'text', 'Buffer', 'URL' as const)

/** Converts a path to the type of the argument. A URL normalizes it. */
function toArgument(text: string, as: string): string | Buffer | URL {
  if (as === 'Buffer') return Buffer.from(text)
  return as === 'URL' ? pathToFileURL(text) : text
}

it('every spelling resolves to the same path as in the kernel', () => {
  fc.assert(
    fc.property(
      spelling,
      argumentType,
      fc.constantFrom('follow' as const, 'nofollow' as const),
      ({ prefix, names }, as, follow) => {
        const text = prefix.replace('ROOT', root).replace('OUTER', outer) + names.join('/')
        if (text === '' || text.startsWith('/') !== prefix.replace('ROOT', '/').replace('OUTER', '/').startsWith('/'))
          return
        const path = toArgument(text, as)
        const [resolved, real] = [resolveByUs(path, follow), resolveByKernel(path, follow)]
        if (resolved === real) return
        // A path with a trailing slash is a directory, which open does not create: the answer is right if nothing is there.
        expect(['EISDIR', 'ENOENT', 'EEXIST', 'ENOTDIR'], `${follow} ${text}: ${resolved} ${real}`).toContain(real)
        expect(resolved === real || isVacant(resolved, text), `${follow} ${text}: ${resolved} ${real}`).toBe(true)
      },
    ),
    fuzzParameters(10_000),
  )
})

/**
 * Whether the path does not exist and its parent directory has no links. Outside the workspace, where nothing is written, the
 * parent does not matter.
 */
function isVacant(place: string, text: string): boolean {
  if (!place.startsWith('/') || exists(place)) return false
  if (!place.startsWith(`${root}/`)) return true
  const parent = place.slice(0, place.lastIndexOf('/'))
  return text.endsWith('/') && fs.realpathSync.native(parent) === parent
}

function exists(place: string): boolean {
  try {
    fs.lstatSync(place)
    return true
  } catch {
    return false
  }
}
