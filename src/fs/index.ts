/**
 * The governed `node:fs`: every function, class and constant of Node's module, over one session's view.
 *
 * In: the host's calls, with Node's arguments. Out: Node's results and errors, from the overlay. Each call asks the
 * guard (`GuardRules`) before it reads or changes a name. `ops.ts` is the table of operations: a row describes how an
 * operation uses its names, and all three forms (sync, callback, promise) are built from the row.
 * Must not happen here: a rule of the policy, a write to the disk, a call of the real `node:fs` outside the lower layer.
 */
export type { DeriveDeps } from './derive.js'
export { createFacade } from './facade.js'
export { GuardedLayer, type GuardRules } from './guarded.js'
export { judgeWrites } from './judge-writes.js'
export { type Name, type OtherWay, onlyReads, type RouteContext } from './route-call.js'
export { routedFs } from './routed.js'
export { View } from './view.js'
