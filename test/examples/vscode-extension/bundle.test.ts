import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { activateExtension, loadBundle, useBuiltExtension } from './bundle.js'
import { Editor } from './editor.js'
import { readManifest } from './manifest.js'

const built = useBuiltExtension()

it('the bundle loads, activates in an empty editor, and registers exactly what package.json declares', async () => {
  const manifest = readManifest()
  const editor = new Editor(manifest, [])
  await activateExtension(built.dist(), built.home(), editor)
  expect([...editor.commands.keys()].sort()).toEqual([...manifest.commands].sort())
  expect([...editor.views.keys()]).toEqual(manifest.views)
  expect(editor.tree()).toEqual([])
  expect(editor.status.get('escrowfs.waiting')).toMatchObject({ visible: false })
  expect(editor.asked).toEqual([])
})

it('the bundle is at the path in package.json, whose menus name declared commands', () => {
  const { main, menus, commands } = readManifest()
  expect(existsSync(join(built.home(), main))).toBe(true)
  const named = Object.values(menus).flatMap((items) => items.map(({ command }) => command))
  expect(named.filter((command) => !commands.includes(command))).toEqual([])
  expect(commands.filter((command) => !named.includes(command))).toEqual([])
})

it('the bundle disposes everything that it registered', async () => {
  const editor = new Editor(readManifest(), [])
  const extension = loadBundle(built.dist(), editor.module())
  const subscriptions: { dispose(): unknown }[] = []
  await extension.activate({ subscriptions, asAbsolutePath: (path: string) => join(built.home(), path) })
  await extension.deactivate()
  for (const each of subscriptions) each.dispose()
  expect([editor.commands.size, editor.views.size, editor.status.size]).toEqual([0, 0, 0])
})

it('the bundle is built and checked with the versions that the tests use', () => {
  const versions = (file: string): Record<string, string> =>
    JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')).devDependencies
  const [own, ours] = [versions('examples/vscode-extension/package.json'), versions('package.json')]
  for (const name of ['rolldown', '@types/vscode']) expect([name, own[name]]).toEqual([name, ours[name]])
})
