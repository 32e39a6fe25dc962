import { admitReviewer } from '../index.js'
import {
  admitAgent,
  admitTruster,
  applyClients,
  findClients,
  findOldState,
  foreignSettings,
  hookToken,
  installLauncher,
  makeReviewerKey,
  makeSigningKey,
  migrateOldState,
  planClients,
  probeEntry,
} from '../surface/index.js'
import type { Library } from './context.js'

/** The library as the commands use it. What answers later is loaded by its first caller: most of it, and most commands need little. */
export const library: Library = {
  admitAgent,
  admitReviewer,
  admitTruster,
  applyClients,
  foreignSettings,
  findClients,
  findOldState,
  hookToken,
  installLauncher,
  makeReviewerKey,
  makeSigningKey,
  migrateOldState,
  planClients,
  probeEntry,
  async openWorkspace(root) {
    const { openWorkspace } = await import('../index.js')
    return openWorkspace(root)
  },
  async checkContainment() {
    const { checkContainment } = await import('../index.js')
    return checkContainment()
  },
  async initWorkspace(root, options) {
    const { initWorkspace } = await import('../index.js')
    return initWorkspace(root, options)
  },
  async editText(text, name) {
    const { editText } = await import('../surface/index.js')
    return editText(text, name)
  },
}
