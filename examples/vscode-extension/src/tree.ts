import { basename, dirname, join } from 'node:path'
import type * as vscode from 'vscode'
import type { Desk } from './desk.js'
import {
  type ChangeNode,
  childrenOf,
  type HunkNode,
  hunksToDecide,
  type Node,
  type SessionNode,
  sessionNodes,
} from './nodes.js'
import { agentOf, counted, describeChange, textOfQuestion, titleOfGroup, titleOfHunk, waiting } from './words.js'

const ICONS: Readonly<Record<string, string>> = { create: 'diff-added', delete: 'diff-removed', rename: 'diff-renamed' }

/** The sessions with something that waits; in each its questions, then its changes as they are to be read. */
export function stagedTree(api: typeof vscode, desk: Desk): vscode.TreeDataProvider<Node> {
  return {
    onDidChangeTreeData: desk.onDidChange,
    getChildren: (node) => (node === undefined ? sessionNodes(desk.looks) : childrenOf(node)),
    getTreeItem: (node) => plain(node, itemOf(api, desk, node)),
  }
}

/** What an agent wrote must not look like something else: labels and tooltips are text on one line. */
function plain({ look }: Node, item: vscode.TreeItem): vscode.TreeItem {
  const { plainName } = look.room.library.editor
  for (const part of ['label', 'description', 'tooltip'] as const) {
    const text = item[part]
    if (typeof text === 'string') item[part] = plainName(text)
  }
  return item
}

function itemOf(api: typeof vscode, desk: Desk, node: Node): vscode.TreeItem {
  const { None, Collapsed, Expanded } = api.TreeItemCollapsibleState
  switch (node.kind) {
    case 'session':
      return sessionItem(api, desk, node)
    case 'question': {
      const command = { command: 'escrowfs.answer', title: 'Answer', arguments: [node] }
      const label = textOfQuestion(node.question)
      return make(api, node, label, None, { icon: 'question', id: node.question.id, command, tooltip: label })
    }
    case 'group': {
      const label = titleOfGroup(node.group)
      const icon = node.group.attention === undefined ? 'list-tree' : 'warning'
      return make(api, node, label, Expanded, { icon, id: label, description: `${node.group.changes.length}` })
    }
    case 'change':
      return changeItem(api, node, hunksToDecide(node.change).length > 0 ? Collapsed : None)
    case 'hunk':
      return hunkItem(api, node)
  }
}

function sessionItem(api: typeof vscode, desk: Desk, node: SessionNode): vscode.TreeItem {
  const { summary, set, questions, room } = node.look
  const where = desk.rooms.length > 1 ? `${basename(room.root)}: ` : ''
  const parts = [
    waiting(set.changes.length, questions.length),
    agentOf(node.look),
    ...(summary.damaged ? ['damaged'] : []),
  ]
  return make(api, node, `${where}${summary.id}`, api.TreeItemCollapsibleState.Expanded, {
    icon: summary.live ? 'sync' : 'inbox',
    id: '',
    description: parts.filter((part) => part !== '').join(', '),
    tooltip: summary.damaged ?? `${counted(set.changes.length, 'staged change')} in ${room.root}`,
  })
}

function changeItem(
  api: typeof vscode,
  node: ChangeNode,
  collapsible: vscode.TreeItemCollapsibleState,
): vscode.TreeItem {
  const { path, kind, state } = node.change
  const folder = dirname(path)
  const icon = state === 'approved' ? 'check' : state === 'rejected' ? 'close' : (ICONS[kind] ?? 'diff-modified')
  return make(api, node, basename(path), collapsible, {
    icon,
    id: JSON.stringify([kind, path]),
    description: [...(folder === '.' ? [] : [folder]), describeChange(node.change)].join(' · '),
    tooltip: join(node.look.room.root, path),
    command: { command: 'escrowfs.open', title: 'Open', arguments: [node] },
    state,
  })
}

function hunkItem(api: typeof vscode, node: HunkNode): vscode.TreeItem {
  const { id, state } = node.hunk
  const icon = state === 'approved' ? 'check' : state === 'rejected' ? 'close' : 'diff'
  return make(api, node, titleOfHunk(node.hunk), api.TreeItemCollapsibleState.None, {
    icon,
    id: JSON.stringify([node.change.path, id]),
    description: state === 'pending' ? '' : state,
    command: { command: 'escrowfs.open', title: 'Open', arguments: [node] },
    state,
  })
}

interface Look {
  readonly icon: string
  /** Within its session and kind. */
  readonly id: string
  readonly description?: string
  readonly tooltip?: string
  readonly command?: vscode.Command
  readonly state?: string
}

function make(
  api: typeof vscode,
  { kind, look }: Node,
  label: string,
  collapsible: vscode.TreeItemCollapsibleState,
  { icon, id, state, ...rest }: Look,
): vscode.TreeItem {
  const item = new api.TreeItem(label, collapsible)
  return Object.assign(item, {
    ...rest,
    id: JSON.stringify([look.room.root, look.summary.id, kind, id]),
    iconPath: new api.ThemeIcon(icon),
    contextValue: state === undefined ? kind : `${kind}.${state}`,
  })
}
