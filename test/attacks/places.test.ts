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
 * Random spellings on a tree of links: where our resolver says that a name leads is where the kernel goes. The kernel
 * is asked by opening the name and reading what its descriptor stands for; an absent one is made, and taken away again.
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
].filter((name, at, all) => all.indexOf(name) === at)

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

/** Where an open of the kernel's arrives, or its error's code. */
function arrives(path: fs.PathLike, flags: number): string {
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

/** Whether the name's directory is one of ours: nothing is made anywhere else. */
function staysHere(path: fs.PathLike): boolean {
  const text = path instanceof URL ? fileURLToPath(path) : String(path)
  try {
    const parent = fs.realpathSync.native(text.slice(0, text.lastIndexOf('/') + 1) || '.')
    return parent.startsWith(`${outer}/`)
  } catch {
    return false
  }
}

function kernel(path: fs.PathLike, follow: 'follow' | 'nofollow'): string {
  const place = arrives(path, follow === 'follow' ? O_PATH : O_PATH | fs.constants.O_NOFOLLOW)
  // The root by its other name is the root, and no link to it.
  if (place === `${outer}/alias`) return root
  if (place !== 'ENOENT' || !staysHere(path)) return place
  const { O_CREAT, O_WRONLY, O_EXCL } = fs.constants
  const made = arrives(path, follow === 'follow' ? O_CREAT | O_WRONLY : O_CREAT | O_WRONLY | O_EXCL)
  if (made.startsWith(`${outer}/`)) fs.unlinkSync(made)
  return made
}

function ours(path: unknown, follow: 'follow' | 'nofollow'): string {
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
const face = fc.constantFrom('text', 'text', 'Buffer', 'URL' as const)

/** With what a URL normalises before anybody can look at it. */
function dressed(text: string, as: string): string | Buffer | URL {
  if (as === 'Buffer') return Buffer.from(text)
  return as === 'URL' ? pathToFileURL(text) : text
}

it('every spelling leads where the kernel goes', () => {
  fc.assert(
    fc.property(
      spelling,
      face,
      fc.constantFrom('follow' as const, 'nofollow' as const),
      ({ prefix, names }, as, follow) => {
        const text = prefix.replace('ROOT', root).replace('OUTER', outer) + names.join('/')
        if (text === '' || text.startsWith('/') !== prefix.replace('ROOT', '/').replace('OUTER', '/').startsWith('/'))
          return
        const path = dressed(text, as)
        const [said, real] = [ours(path, follow), kernel(path, follow)]
        if (said === real) return
        // What ends in a slash is a directory, and no open makes one: the place is right if nothing is there.
        expect(['EISDIR', 'ENOENT', 'EEXIST', 'ENOTDIR'], `${follow} ${text}: ${said} ${real}`).toContain(real)
        expect(said === real || isVacant(said, text), `${follow} ${text}: ${said} ${real}`).toBe(true)
      },
    ),
    fuzzParameters(10_000),
  )
})

/**
 * A name to come, in a directory that is where it says it is. Outside, where nothing is ever written, a place below what
 * is absent is as good an answer.
 */
function isVacant(place: string, text: string): boolean {
  if (!place.startsWith('/') || isThere(place)) return false
  if (!place.startsWith(`${root}/`)) return true
  const parent = place.slice(0, place.lastIndexOf('/'))
  return text.endsWith('/') && fs.realpathSync.native(parent) === parent
}

function isThere(place: string): boolean {
  try {
    fs.lstatSync(place)
    return true
  } catch {
    return false
  }
}
