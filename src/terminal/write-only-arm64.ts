import {
  addBytes,
  addPointers,
  assemble,
  callTo,
  compare,
  copy,
  ifLess,
  ifNegative,
  ifNotZero,
  ifZero,
  jump,
  label,
  load,
  loadByte,
  loadNext,
  REGISTER,
  RETURN,
  set,
  setNot,
  store,
  storeHalf,
  systemCall,
  takeStack,
} from './arm64.js'
import { CALL_ARM64, EXIT_FAILED_ARM64 } from './executable.js'
import { LANDLOCK } from './write-only-rules.js'

/** The program of write-only.ts for arm64. */

/** Registers that system calls keep: the next argument, envp, and the ruleset or -1. */
const NEXT = 19
const ENVIRONMENT = 20
const RULESET = 21

/** `struct landlock_path_beneath_attr` at the top of the stack: allowed_access, then parent_fd. */
const PARENT_FD = 8
/** `struct landlock_ruleset_attr` after it. */
const HANDLED = 16
const STACK = 32

const LANDLOCK_CREATE_RULESET_VERSION = 1
const LANDLOCK_RULE_PATH_BENEATH = 1
/** `mov w0, #-100`. */
const AT_FDCWD = setNot(0, 99)

/** Stores a small number through register 3. */
const putRights = (rights: number, at: number) => [...set(3, rights), store(3, at)]

const BEGIN = [
  // At the start the stack holds argc, argv with a null after it, and envp.
  load(2, REGISTER.sp),
  addBytes(NEXT, REGISTER.sp, 16),
  addPointers(ENVIRONMENT, NEXT, 2),
  setNot(RULESET, 0),
  takeStack(STACK),
  ...set(0, 0),
  ...set(1, 0),
  ...set(2, LANDLOCK_CREATE_RULESET_VERSION),
  ...systemCall(CALL_ARM64.landlockCreateRuleset),
  compare(0, LANDLOCK.leastVersion),
  ifLess('each'),
]

const MAKE_RULES = [
  ...putRights(LANDLOCK.writeFile | LANDLOCK.refer, HANDLED),
  addBytes(0, REGISTER.sp, HANDLED),
  ...set(1, 8), // its size
  ...set(2, 0),
  ...systemCall(CALL_ARM64.landlockCreateRuleset),
  ifNegative(0, 'fail'),
  copy(RULESET, 0),
  ...putRights(LANDLOCK.writeFile, 0),
  ...[1, 2].flatMap((output) => [...set(3, output), storeHalf(3, PARENT_FD), callTo('allow')]),
  // Files may be moved anywhere below the first path, the root.
  ...putRights(LANDLOCK.refer, 0),
]

/** Adds a rule for each path. Skips a missing path, and all of them without a ruleset. */
const EACH_PATH = [
  label('each'),
  loadNext(1, NEXT),
  loadByte(3, 1),
  ifZero(3, 'enter'),
  ifNegative(RULESET, 'each'),
  AT_FDCWD,
  ...set(2, LANDLOCK.openFlags),
  ...set(3, 0),
  ...systemCall(CALL_ARM64.openat),
  ifNegative(0, 'each'),
  storeHalf(0, PARENT_FD),
  callTo('allow'),
  ...putRights(LANDLOCK.writeFile, 0),
  jump('each'),
]

const ALLOW = [
  label('allow'),
  copy(0, RULESET),
  ...set(1, LANDLOCK_RULE_PATH_BENEATH),
  addBytes(2, REGISTER.sp, 0),
  ...set(3, 0),
  ...systemCall(CALL_ARM64.landlockAddRule),
  RETURN,
]

const ENTER = [
  label('enter'),
  ifNegative(RULESET, 'become'),
  copy(0, RULESET),
  ...set(1, 0),
  ...systemCall(CALL_ARM64.landlockRestrictSelf),
  ifNotZero(0, 'fail'),
  label('become'),
  load(0, NEXT),
  copy(1, NEXT),
  copy(2, ENVIRONMENT),
  ...systemCall(CALL_ARM64.execve),
]

export const WRITE_ONLY_ARM64 = assemble([
  ...BEGIN,
  ...MAKE_RULES,
  ...EACH_PATH,
  ...ALLOW,
  ...ENTER,
  label('fail'),
  ...EXIT_FAILED_ARM64,
])
