import { readFileSync } from 'node:fs'

/** The declarations in the extension's package.json that the editor reads. */
export interface Manifest {
  readonly main: string
  readonly views: readonly string[]
  readonly commands: readonly string[]
  readonly menus: Readonly<Record<string, readonly { command: string; when: string }[]>>
  readonly settings: readonly string[]
  readonly keys: readonly KeyBinding[]
}

export interface KeyBinding {
  readonly key: string
  readonly command: string
  readonly when: string
  readonly args?: object
}

const FOLDER = new URL('../../../examples/vscode-extension/', import.meta.url)

interface Declared {
  main: string
  contributes: {
    configuration: { properties: Record<string, unknown> }
    views: Record<string, { id: string }[]>
    commands: { command: string }[]
    menus: Record<string, { command: string; when: string }[]>
    keybindings: KeyBinding[]
  }
}

export function readManifest(): Manifest {
  const readDeclared: Declared = JSON.parse(readFileSync(new URL('package.json', FOLDER), 'utf8'))
  const { configuration, views, commands, menus, keybindings: keys } = readDeclared.contributes
  return {
    main: readDeclared.main,
    views: Object.values(views).flatMap((list) => list.map(({ id }) => id)),
    commands: commands.map(({ command }) => command),
    menus,
    keys,
    settings: Object.keys(configuration.properties),
  }
}

/** The commands of a menu whose `when` is true. Supports only `&&`, `==`, `=~` and `false`. */
export function commandsInMenu(
  { menus }: Manifest,
  menu: string,
  values: Readonly<Record<string, string | undefined>>,
): string[] {
  return (menus[menu] ?? [])
    .filter(({ when }) => when.split(' && ').every((term) => evaluateWhen(term, values)))
    .map(({ command }) => command)
}

function evaluateWhen(term: string, values: Readonly<Record<string, string | undefined>>): boolean {
  const [, name = '', operator, wanted = ''] = /^(\w+) (==|=~) (.+)$/.exec(term) ?? []
  if (operator === '==') return values[name] === wanted
  if (operator === '=~') return new RegExp(wanted.slice(1, -1)).test(values[name] ?? '')
  if (term === 'false') return false
  throw new Error(`A when clause that the test cannot read: ${term}`)
}
