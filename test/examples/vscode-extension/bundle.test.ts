import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { activated, builtExtension, loadBundle } from './bundle.js'
import { Editor } from './editor.js'
import { readManifest } from './manifest.js'

const built = builtExtension()

it('the bundle loads, activates in an empty editor, and registers what package.json declares and nothing else', async () => {
  const manifest = readManifest()
  const editor = new Editor(manifest, [])
  await activated(built.dist(), built.home(), editor)
  expect([...editor.commands.keys()].sort()).toEqual([...manifest.commands].sort())
  expect([...editor.views.keys()]).toEqual(manifest.views)
  expect(editor.tree()).toEqual([])
  expect(editor.status.get('escrowfs.waiting')).toMatchObject({ visible: false })
  expect(editor.asked).toEqual([])
})

it('is where package.json says, and its menus name commands that it declares', () => {
  const { main, menus, commands } = readManifest()
  expect(existsSync(join(built.home(), main))).toBe(true)
  const named = Object.values(menus).flatMap((items) => items.map(({ command }) => command))
  expect(named.filter((command) => !commands.includes(command))).toEqual([])
  expect(commands.filter((command) => !named.includes(command))).toEqual([])
})

it('lets go of all it registered', async () => {
  const editor = new Editor(readManifest(), [])
  const extension = loadBundle(built.dist(), editor.module())
  const subscriptions: { dispose(): unknown }[] = []
  await extension.activate({ subscriptions, asAbsolutePath: (path: string) => join(built.home(), path) })
  await extension.deactivate()
  for (const each of subscriptions) each.dispose()
  expect([editor.commands.size, editor.views.size, editor.status.size]).toEqual([0, 0, 0])
})
