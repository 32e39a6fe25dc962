import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type HomePlace, takeHome } from '../../src/terminal/client-home.js'
import { tempDir } from '../support/facade.js'

let place = tempDir()
beforeEach(() => {
  place = tempDir()
})
afterEach(() => place.dispose())

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(place.path, path)), { recursive: true })
  writeFileSync(join(place.path, path), text)
}
const takeWith = (
  wish: Parameters<typeof takeHome>[0],
  more: NodeJS.ProcessEnv = {},
  { root = '/srv/shop', tree = 'overlay' }: Partial<HomePlace> = {},
) => takeHome(wish, { root, layersDir: join(place.path, 'kept'), tree }, { HOME: join(place.path, 'home'), ...more })

it('gives a client its own directories and its read-only settings, and nothing else', async () => {
  put('home/.codex/config.toml', 'model = "x"\n')
  const { mounts, readOnly, env, release } = await takeWith({ client: 'codex' })
  const own = join(place.path, 'home/.codex')
  expect(mounts).toEqual([{ at: own, layer: join(place.path, 'kept/codex/0') }])
  expect(readOnly).toContainEqual({ at: join(own, 'config.toml'), kind: 'text', exists: true })
  expect(readOnly).toContainEqual({ at: join(own, 'rules'), kind: 'directory', exists: false })
  expect(readOnly).toContainEqual({ at: join(own, 'hooks.json'), kind: 'json', exists: false })
  expect(env).toEqual({ CODEX_HOME: own })
  release()
})

it('gives nothing to a program that is not a client, and the whole home on request', async () => {
  mkdirSync(join(place.path, 'home'))
  expect(await takeWith({})).toMatchObject({ mounts: [], readOnly: [] })
  expect(await takeWith({ home: true })).toMatchObject({ mounts: [{ at: join(place.path, 'home'), layer: undefined }] })
})

it('gives nothing if the workspace contains the home directory', async () => {
  mkdirSync(join(place.path, 'home'))
  expect(await takeWith({ client: 'gemini', home: true }, {}, { root: place.path })).toMatchObject({
    mounts: [],
    readOnly: [],
  })
})

it('follows the variable that moves the directory', async () => {
  mkdirSync(join(place.path, 'home'))
  const { mounts, release } = await takeWith({ client: 'codex' }, { CODEX_HOME: join(place.path, 'elsewhere') })
  expect(mounts.map(({ at }) => at)).toEqual([join(place.path, 'elsewhere')])
  release()
})

it("copies a file next to a client's directory once, and removes files that replace settings in the layer", async () => {
  put('home/.claude.json', '{"one":1}')
  const copy = join(place.path, 'kept/claude/0/upper/.claude.json')
  ;(await takeWith({ client: 'claude' })).release()
  expect(readFileSync(copy, 'utf8')).toBe('{"one":1}')
  writeFileSync(copy, '{"two":2}')
  put('kept/claude/0/upper/settings.json', '{"hooks":{}}')
  ;(await takeWith({ client: 'claude' })).release()
  expect(readFileSync(copy, 'utf8')).toBe('{"two":2}')
  expect(() => readFileSync(join(place.path, 'kept/claude/0/upper/settings.json'))).toThrow('ENOENT')
})

it('removes nothing behind a link that a client left in its layer', async () => {
  put('precious/settings/cline_mcp_settings.json', 'precious\n')
  put('kept/cline/0/upper/x', 'x\n')
  symlinkSync(join(place.path, 'precious'), join(place.path, 'kept/cline/0/upper/data'))
  mkdirSync(join(place.path, 'home'))
  ;(await takeWith({ client: 'cline' })).release()
  expect(readFileSync(join(place.path, 'precious/settings/cline_mcp_settings.json'), 'utf8')).toBe('precious\n')
})

it('uses a copy of the directory if commands run on a copy', async () => {
  put('home/.codex/history.jsonl', 'one\n')
  const { mounts, release } = await takeWith({ client: 'codex' }, {}, { tree: 'copy' })
  const layer = join(place.path, 'kept/codex/0')
  expect(mounts).toEqual([{ at: join(place.path, 'home/.codex'), layer, copy: join(layer, 'copy') }])
  expect(readFileSync(join(layer, 'copy/history.jsonl'), 'utf8')).toBe('one\n')
  release()
  await expect(takeWith({ home: true }, {}, { tree: 'copy' })).rejects.toMatchObject({ reason: 'unsupported' })
})

it('allows one process at a time', async () => {
  mkdirSync(join(place.path, 'home'))
  const { release } = await takeWith({ client: 'gemini' })
  await expect(takeWith({ client: 'gemini' })).rejects.toMatchObject({ reason: 'session_busy' })
  release()
  ;(await takeWith({ client: 'gemini' })).release()
})
