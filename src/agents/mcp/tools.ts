import { ADDED_MCP_TOOLS } from './added.js'
import { editFile } from './edit-file.js'
import { executeCommand } from './execute-command.js'
import { getFileInfo, listAllowedDirectories, listDirectory, listDirectoryWithSizes } from './list-directories.js'
import { readFile, readMediaFile, readMultipleFiles, readTextFile } from './read-files.js'
import { directoryTree, searchFiles } from './search-tree.js'
import type { McpTool } from './tool.js'
import { createDirectory, deleteFile, moveFile, writeFile } from './write-files.js'

/** All tools of the server: those of the filesystem server, a terminal, and ours. None of them decides anything. */
export const TOOLS: readonly McpTool[] = [
  readFile,
  readTextFile,
  readMediaFile,
  readMultipleFiles,
  writeFile,
  editFile,
  createDirectory,
  listDirectory,
  listDirectoryWithSizes,
  directoryTree,
  moveFile,
  deleteFile,
  searchFiles,
  getFileInfo,
  listAllowedDirectories,
  executeCommand,
  ...ADDED_MCP_TOOLS,
]
