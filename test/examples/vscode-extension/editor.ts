import * as types from './editor-types.js'
import { commandsInMenu, type Manifest } from './manifest.js'

/** A question that the person was asked. */
export interface AskedQuestion {
  readonly kind: 'information' | 'warning' | 'error' | 'input' | 'pick'
  readonly text: string
  readonly modal: boolean
  /** The buttons or items to choose from. */
  readonly items: readonly string[]
  readonly detail: string
}

export interface Document {
  readonly uri: types.Uri
  readonly text: string
  readonly lineCount: number
}

type Person = (asked: AskedQuestion) => string | undefined
type Node = object

interface TreeProvider {
  readonly onDidChangeTreeData: (listener: () => void) => types.Disposable
  getChildren(node?: Node): Node[]
  getTreeItem(node: Node): types.TreeItem
}

interface View {
  readonly selection: Node[]
  badge?: { value: number; tooltip: string } | undefined
  dispose(): void
}

interface LensProvider {
  provideCodeLenses(document: Document): types.CodeLens[]
}

interface ContentProvider {
  provideTextDocumentContent(uri: types.Uri): Promise<string>
}

interface StatusItem {
  text: string
  visible: boolean
}

/**
 * A fake editor, as strict as the real one: commands must be registered once and exist when run, views
 * must be declared, documents come from the scheme's only provider and are kept while open. Missing APIs throw.
 */
export class Editor {
  readonly asked: AskedQuestion[] = []
  readonly commands = new Map<string, (...given: unknown[]) => unknown>()
  readonly views = new Map<string, TreeProvider>()
  readonly badges = new Map<string, View>()
  readonly status = new Map<string, StatusItem>()
  readonly progress: string[] = []
  readonly diffs: { title: string; before: Document; after: Document }[] = []
  /** Documents that were opened without a diff. */
  readonly opened: { title: string; document: Document }[] = []
  readonly changes: { title: string; paths: string[] }[] = []
  /** Status bar messages. */
  readonly statusMessages: string[] = []
  /** The nodes that are selected in the view. */
  selected: Node[] = []
  readonly folders = new types.EventEmitter<void>()
  readonly settings = new Map<string, unknown>()
  person: Person = () => undefined
  /** True if the person confirms their own approvals and commits. */
  confirms = true
  /** Called at each step of a progress. `cancel` presses its button. */
  onStep: (message: string, cancel: () => void) => void = () => {}
  active: { document: Document; selection: { active: types.Position } } | undefined
  #contents = new Map<string, ContentProvider>()
  #lenses = new Map<string, LensProvider>()

  constructor(
    readonly manifest: Manifest,
    public roots: readonly string[],
  ) {}

  /** The `vscode` module. */
  module(): object {
    return throwOnMissing('vscode', {
      ...types,
      TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
      StatusBarAlignment: { Left: 1, Right: 2 },
      ProgressLocation: { SourceControl: 1, Window: 10, Notification: 15 },
      commands: throwOnMissing('commands', this.#commandsApi()),
      window: throwOnMissing('window', this.#windowApi()),
      workspace: throwOnMissing('workspace', this.#workspaceApi()),
      languages: throwOnMissing('languages', {
        registerCodeLensProvider: ({ scheme }: { scheme: string }, provider: LensProvider) =>
          register(this.#lenses, scheme, provider),
      }),
    })
  }

  #commandsApi() {
    return {
      registerCommand: (name: string, work: (...given: unknown[]) => unknown) => {
        if (this.commands.has(name)) throw new Error(`command '${name}' already exists`)
        return register(this.commands, name, work)
      },
      executeCommand: async (name: string, ...given: unknown[]) => this.run(name, ...given),
    }
  }

  #windowApi() {
    const showMessage =
      (kind: AskedQuestion['kind']) =>
      async (text: string, ...rest: (string | { modal?: boolean; detail?: string })[]) => {
        const [options, items] = typeof rest[0] === 'object' ? [rest[0], rest.slice(1)] : [{}, rest]
        return this.#ask({
          kind,
          text,
          modal: options.modal ?? false,
          items: items.map(String),
          detail: options.detail ?? '',
        })
      }
    const editor = this
    return {
      showInformationMessage: showMessage('information'),
      showWarningMessage: showMessage('warning'),
      showErrorMessage: showMessage('error'),
      showInputBox: async ({ prompt }: { prompt: string }) =>
        this.#ask({ kind: 'input', text: prompt, modal: false, items: [], detail: '' }),
      showQuickPick: async (items: { label: string }[], { placeHolder }: { placeHolder: string }) => {
        const labels = items.map(({ label }) => label)
        const chosen = this.#ask({ kind: 'pick', text: placeHolder, modal: false, items: labels, detail: '' })
        return items.find(({ label }) => label === chosen)
      },
      createTreeView: (id: string, { treeDataProvider }: { treeDataProvider: TreeProvider }) => {
        if (!this.manifest.views.includes(id)) throw new Error(`No view is registered with id: ${id}`)
        const view: View = {
          badge: undefined,
          get selection() {
            return editor.selected
          },
          dispose: () => this.views.delete(id),
        }
        this.views.set(id, treeDataProvider)
        this.badges.set(id, view)
        return view
      },
      setStatusBarMessage: (text: string) => {
        this.statusMessages.push(text)
        return new types.Disposable(() => {})
      },
      createStatusBarItem: (id: string) => this.#statusItem(id),
      withProgress: (_: object, work: (progress: { report(step: object): void }, token: object) => Promise<unknown>) =>
        this.#withProgress(work),
      get activeTextEditor() {
        return editor.active
      },
    }
  }

  #workspaceApi() {
    const editor = this
    return {
      get workspaceFolders() {
        return editor.roots.map((root) => ({ uri: types.Uri.file(root), name: root }))
      },
      onDidChangeWorkspaceFolders: this.folders.event,
      getConfiguration: (section: string) => ({ get: (key: string) => this.settings.get(`${section}.${key}`) }),
      registerTextDocumentContentProvider: (scheme: string, provider: ContentProvider) =>
        register(this.#contents, scheme, provider),
    }
  }

  #ask(asked: AskedQuestion): string | undefined {
    this.asked.push(asked)
    const choice = this.person(asked) ?? (this.confirms ? confirmAnswer(asked) : undefined)
    if (choice !== undefined && asked.items.length > 0 && !asked.items.includes(choice))
      throw new Error(`No button '${choice}'`)
    return choice
  }

  #statusItem(id: string): object {
    const item = { text: '', visible: false }
    this.status.set(id, item)
    return Object.assign(item, {
      show: () => {
        item.visible = true
      },
      hide: () => {
        item.visible = false
      },
      dispose: () => this.status.delete(id),
    })
  }

  async #withProgress(work: (progress: { report(step: object): void }, token: object) => Promise<unknown>) {
    const cancelled = new types.EventEmitter<void>()
    const report = ({ message = '' }: { message?: string }) => {
      this.progress.push(message)
      this.onStep(message, () => cancelled.fire())
    }
    return work({ report }, { isCancellationRequested: false, onCancellationRequested: cancelled.event })
  }

  async run(name: string, ...given: unknown[]): Promise<unknown> {
    if (name === 'vscode.diff') return this.#diff(given)
    if (name === 'vscode.open') return this.#openOne(given)
    if (name === 'vscode.changes') return this.#openAll(given)
    const command = this.commands.get(name)
    if (command === undefined) throw new Error(`command '${name}' not found`)
    return command(...given)
  }

  async #diff([before, after, title, options]: unknown[]): Promise<void> {
    const [left, right] = [await this.#document(before), await this.#document(after)]
    this.diffs.push({ title: String(title), before: left, after: right })
    this.#activate(right, options)
  }

  async #openOne([uri, options, title]: unknown[]): Promise<void> {
    const document = await this.#document(uri)
    this.opened.push({ title: String(title), document })
    this.#activate(document, options)
  }

  /** Opens a document with the cursor at the selection of the options. */
  #activate(document: Document, options: unknown): void {
    const selection: unknown =
      typeof options === 'object' && options !== null ? Reflect.get(options, 'selection') : undefined
    const line = selection instanceof types.Range ? selection.start.line : 0
    this.active = { document, selection: { active: new types.Position(line, 0) } }
  }

  /** Presses a key in the open document or in the view. */
  async press(key: string, focus: 'editor' | 'view' = 'editor'): Promise<void> {
    const bound = this.manifest.keys.find((each) => each.key === key && each.when.includes(FOCUS[focus]))
    if (bound === undefined) throw new Error(`Nothing is bound to ${key} in the ${focus}`)
    await this.run(bound.command, ...(bound.args === undefined ? [] : [bound.args]))
  }

  async #openAll([title, resources]: unknown[]): Promise<void> {
    if (!Array.isArray(resources)) throw new Error('vscode.changes wants a list')
    const paths: string[] = []
    for (const [label, ...sides] of resources) {
      paths.push(String(label.path))
      for (const side of sides) if (side !== undefined) await this.#document(side)
    }
    this.changes.push({ title: String(title), paths })
  }

  async #document(uri: unknown): Promise<Document> {
    if (!(uri instanceof types.Uri)) throw new Error('That is not a Uri')
    const provider = this.#contents.get(uri.scheme)
    if (provider === undefined) throw new Error(`Unable to resolve resource ${uri}`)
    const text = await provider.provideTextDocumentContent(uri)
    return { uri, text, lineCount: text.split('\n').length }
  }

  /** The lines of the tree, indented below their parents. */
  tree(view = 'escrowfs.staged'): string[] {
    return this.#walk(view).map(({ item, depth }) =>
      `${'  '.repeat(depth)}${item.label}${item.description ? ` (${item.description})` : ''}`.trimEnd(),
    )
  }

  /** The first node whose label starts with a text. */
  node(label: string, view = 'escrowfs.staged'): { node: Node; item: types.TreeItem } {
    const found = this.#walk(view).find(({ item }) => item.label.startsWith(label))
    if (found === undefined) throw new Error(`The tree has no '${label}': ${this.tree(view).join('\n')}`)
    return found
  }

  #walk(view: string) {
    const provider = this.views.get(view)
    if (provider === undefined) throw new Error(`No view ${view}`)
    const ids = new Set<string>()
    const below = (nodes: Node[], depth: number): { node: Node; item: types.TreeItem; depth: number }[] =>
      nodes.flatMap((node) => {
        const item = provider.getTreeItem(node)
        if (ids.has(item.id ?? '')) throw new Error(`Element with id ${item.id} is already registered`)
        ids.add(item.id ?? '')
        return [{ node, item, depth }, ...below(provider.getChildren(node), depth + 1)]
      })
    return below(provider.getChildren(), 0)
  }

  /** Runs a command of a node's context menu. Throws if the menu does not have it. */
  async click(label: string, command: string): Promise<void> {
    const { node, item } = this.node(label)
    return this.clickOn(node, item, command)
  }

  async clickOn(node: Node, item: types.TreeItem, command: string): Promise<void> {
    const offered = commandsInMenu(this.manifest, 'view/item/context', {
      view: 'escrowfs.staged',
      viewItem: item.contextValue,
    })
    if (!offered.includes(command)) throw new Error(`${command} is not offered on ${item.label} (${item.contextValue})`)
    await this.run(command, node, [node])
  }

  /** Clicks a node. */
  async open(label: string): Promise<void> {
    const { command } = this.node(label).item
    if (command === undefined) throw new Error(`Nothing happens when ${label} is clicked`)
    await this.run(command.command, ...(command.arguments ?? []))
  }

  /** Runs a command of the open editor. */
  async inEditor(menu: 'editor/title' | 'editor/context', command: string): Promise<void> {
    const { uri } = this.active?.document ?? {}
    if (!commandsInMenu(this.manifest, menu, { resourceScheme: uri?.scheme }).includes(command))
      throw new Error(`${command} is not offered in ${menu}`)
    await this.run(command, uri)
  }

  lenses(document = this.active?.document): types.CodeLens[] {
    if (document === undefined) throw new Error('No editor is open')
    return this.#lenses.get(document.uri.scheme)?.provideCodeLenses(document) ?? []
  }
}

const FOCUS = { editor: 'editorTextFocus', view: 'focusedView == escrowfs.staged' } as const

function confirmAnswer({ modal, items: [yes = ''] }: AskedQuestion): string | undefined {
  return modal && ['Approve', 'Commit'].includes(yes) ? yes : undefined
}

function register<T>(all: Map<string, T>, name: string, value: T): types.Disposable {
  all.set(name, value)
  return new types.Disposable(() => all.delete(name))
}

/** Throws for a missing property, because undefined could let a test pass. */
function throwOnMissing<T extends object>(name: string, api: T): T {
  return new Proxy(api, {
    get(target, key, receiver) {
      if (!(key in target) && typeof key === 'string' && key !== 'then' && key !== '__esModule' && key !== 'default')
        throw new Error(`The stand-in has no ${name}.${key}`)
      return Reflect.get(target, key, receiver)
    },
  })
}
