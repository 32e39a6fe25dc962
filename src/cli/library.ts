import { admitReviewer } from '../index.js'
import {
  admitAgent,
  admitPerson,
  admitTruster,
  applyClients,
  assertOutsideSession,
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

/** The library for commands. Asynchronous functions load their modules on the first call, because most commands need few. */
export const library: Library = {
  admitAgent,
  admitPerson,
  admitReviewer,
  admitTruster,
  applyClients,
  assertOutsideSession,
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
  async triedContainments(root, isAgain) {
    const { triedContainments } = await import('../surface/index.js')
    return triedContainments(root, isAgain)
  },
  async probedEscapes(root) {
    const { probedEscapes } = await import('../surface/index.js')
    return probedEscapes(root)
  },
  async findRepairs(root) {
    const { findRepairs } = await import('../surface/index.js')
    return findRepairs(root)
  },
  async applyRepair(repair) {
    const { applyRepair } = await import('../surface/index.js')
    return applyRepair(repair)
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
