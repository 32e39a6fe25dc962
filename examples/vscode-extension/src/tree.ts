import { basename, dirname, join } from 'node:path'
import type * as vscode from 'vscode'
import {
  agentOf,
  describeChange,
  describeCounts,
  pluralize,
  textOfQuestion,
  titleOfGroup,
  titleOfHunk,
  topFact,
} from './labels.js'
import {
  type ChangeNode,
  childrenOf,
  type HunkNode,
  hunksToDecide,
  type Node,
  type SessionNode,
  sessionNodes,
} from './nodes.js'
import type { ReviewModel } from './review-model.js'

const ICONS: Readonly<Record<string, string>> = { create: 'diff-added', delete: 'diff-removed', rename: 'diff-renamed' }

/** The tree of sessions to review. Each has its questions, then its changes in reading order. */
export function stagedTree(api: typeof vscode, model: ReviewModel): vscode.TreeDataProvider<Node> {
  return {
    onDidChangeTreeData: model.onDidChange,
    getChildren: (node) => (node === undefined ? sessionNodes(model.sessions) : childrenOf(node)),
    getTreeItem: (node) => plain(node, itemOf(api, model, node)),
  }
}

/** Makes labels and tooltips safe: plain text on one line, because an agent wrote parts of them. */
function plain({ snapshot }: Node, item: vscode.TreeItem): vscode.TreeItem {
  const { plainName } = snapshot.reviewed.library.editor
  for (const part of ['label', 'description', 'tooltip'] as const) {
    const text = item[part]
    if (typeof text === 'string') item[part] = plainName(text)
  }
  return item
}

function itemOf(api: typeof vscode, model: ReviewModel, node: Node): vscode.TreeItem {
  const { None, Collapsed, Expanded } = api.TreeItemCollapsibleState
  switch (node.kind) {
    case 'session':
      return sessionItem(api, model, node)
    case 'question': {
      const command = { command: 'escrowfs.answer', title: 'Answer', arguments: [node] }
      const label = textOfQuestion(node.question)
      return createItem(api, node, label, None, { icon: 'question', id: node.question.id, command, tooltip: label })
    }
    case 'group': {
      const label = titleOfGroup(node.group)
      const icon = node.group.attention === undefined ? 'list-tree' : 'warning'
      return createItem(api, node, label, Expanded, { icon, id: label, description: `${node.group.changes.length}` })
    }
    case 'change':
      return changeItem(api, node, hunksToDecide(node.change).length > 0 ? Collapsed : None)
    case 'hunk':
      return hunkItem(api, node)
  }
}

function sessionItem(api: typeof vscode, model: ReviewModel, node: SessionNode): vscode.TreeItem {
  const { summary, set, questions, reviewed, problem } = node.snapshot
  const where = model.workspaces.length > 1 ? `${basename(reviewed.root)}: ` : ''
  const parts = [
    describeCounts(set.changes.length, questions.length),
    agentOf(node.snapshot),
    ...(problem === undefined ? [] : ['cannot be read']),
  ]
  return createItem(api, node, `${where}${summary.id}`, api.TreeItemCollapsibleState.Expanded, {
    icon: problem !== undefined ? 'error' : summary.live ? 'sync' : 'inbox',
    id: '',
    description: parts.filter((part) => part !== '').join(', '),
    tooltip: problem ?? `${pluralize(set.changes.length, 'staged change')} in ${reviewed.root}`,
  })
}

function changeItem(
  api: typeof vscode,
  node: ChangeNode,
  collapsible: vscode.TreeItemCollapsibleState,
): vscode.TreeItem {
  const { path, kind, state } = node.change
  const folder = dirname(path)
  const fact = topFact(node.change)
  const icon = state === 'approved' ? 'check' : state === 'rejected' ? 'close' : (ICONS[kind] ?? 'diff-modified')
  return createItem(api, node, basename(path), collapsible, {
    icon,
    id: JSON.stringify([kind, path]),
    description: [folder === '.' ? '' : folder, describeChange(node.change), fact].filter(Boolean).join(' · '),
    tooltip: [join(node.snapshot.reviewed.root, path), fact].filter(Boolean).join(' · '),
    command: { command: 'escrowfs.open', title: 'Open', arguments: [node] },
    state,
  })
}

function hunkItem(api: typeof vscode, node: HunkNode): vscode.TreeItem {
  const { id, state } = node.hunk
  const icon = state === 'approved' ? 'check' : state === 'rejected' ? 'close' : 'diff'
  return createItem(api, node, titleOfHunk(node.hunk), api.TreeItemCollapsibleState.None, {
    icon,
    id: JSON.stringify([node.change.path, id]),
    description: state === 'pending' ? '' : state,
    command: { command: 'escrowfs.open', title: 'Open', arguments: [node] },
    state,
  })
}

interface ItemOptions {
  readonly icon: string
  /** Unique within its session and kind. */
  readonly id: string
  readonly description?: string
  readonly tooltip?: string
  readonly command?: vscode.Command
  readonly state?: string
}

function createItem(
  api: typeof vscode,
  { kind, snapshot }: Node,
  label: string,
  collapsible: vscode.TreeItemCollapsibleState,
  { icon, id, state, ...rest }: ItemOptions,
): vscode.TreeItem {
  const item = new api.TreeItem(label, collapsible)
  return Object.assign(item, {
    ...rest,
    id: JSON.stringify([snapshot.reviewed.root, snapshot.summary.id, kind, id]),
    iconPath: new api.ThemeIcon(icon),
    contextValue: state === undefined ? kind : `${kind}.${state}`,
  })
}
