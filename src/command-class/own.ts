import { judgeFind } from './find.js'
import { PROGRAMS } from './programs.js'
import { type Own, rowsFor, table } from './rule.js'
import { type CommandContext, partOf, type RuleCase } from './scene.js'
import { judgeAwk, judgeSed } from './text-programs.js'
import { riskOf } from './variables.js'
import { literal, type Word } from './words.js'

export const OWN: Readonly<Record<Own, (of: RuleCase) => undefined>> = {
  find: judgeFind,
  sed: judgeSed,
  awk: judgeAwk,
  trap: judgeTrap,
  eval: judgeEval,
  runner: judgeRunner,
  sql: judgeSql,
  variables: judgeVariables,
  'git-config': judgeGitConfig,
}

/** eval joins its words to a shell line at run time. */
function judgeEval({ given, scene, part }: RuleCase): undefined {
  scene.found.unknown(part, 'runs a command that is built at run time')
  if (given.every(({ text }) => text !== undefined)) scene.script(given.map(({ text }) => text).join(' '), scene.stdin)
}

function judgeTrap({ given, scene, part }: RuleCase): undefined {
  const [first] = given
  if (first === undefined || first.text === '-p' || first.text === '-l') return
  if (first.text === undefined) return scene.found.unknown(part, 'runs something that is known only at run time')
  if (first.text !== '-' && first.text !== '')
    scene.script(first.text === '--' ? (given[1]?.text ?? '') : first.text, scene.stdin)
}

/** `read NAME`. */
function judgeVariables({ rule, given, scene, part }: RuleCase): undefined {
  const isPlain = given.every(
    ({ text }) =>
      text !== undefined && (/^-[rsnteuap]?\w*$/.test(text) || riskOf(text) !== 'perilous' || /^\d+$/.test(text)),
  )
  if (isPlain) scene.found.add(rule.is, part, rule.does)
  else scene.found.unknown(part, 'may set a variable that decides what runs')
}

const SQL_DESTRUCTIVE = /\b(?:drop|truncate|delete|alter|flushall|flushdb|dropDatabase|deleteMany|remove|shutdown)\b/i

function judgeSql({ rule, given, scene, part }: RuleCase): undefined {
  scene.found.add(rule.is, part, rule.does)
  const texts = [...given.map(({ text, lead }) => text ?? lead), scene.stdin.text ?? '']
  if (texts.some((text) => SQL_DESTRUCTIVE.test(text)))
    scene.found.add('destructive', part, 'deletes data in a database')
}

const READING = new Set(['--get', '--get-all', '--get-regexp', '--list', '-l', 'get', 'list', '--get-urlmatch'])

function judgeGitConfig({ rule, given, scene, part }: RuleCase): undefined {
  const [first, ...others] = given
  const isRead =
    first?.text !== undefined &&
    (READING.has(first.text)
      ? others.every(({ text }) => text !== undefined && !/^--?(?:un|add|rep|ren|rem|e)/.test(text))
      : others.length === 0 && /^\w[\w.-]*\.[\w.-]+$/.test(first.text))
  if (isRead) scene.found.add('read-only', part, 'only reads')
  else scene.found.add([...[rule.is].flat(), 'write'], part, rule.does)
}

/** Common names of build and test scripts. */
const SCRIPT =
  '(?:build|compile|test|tests|lint|check|typecheck|type-check|tsc|format|fmt|coverage|e2e|unit|bench|ci|verify)'
const SCRIPTS = new RegExp(`^${SCRIPT}(?:[:._-](?:${SCRIPT}|all|watch|ts|js|types|src|fix|integration)){0,4}$`)

const INFO_OPTIONS = new Set(['--version', '-V', '--help', '-h'])

/** Programs that run something by name: a project's script, a package, a Python module. */
function judgeRunner({ rule, given, scene, part }: RuleCase): undefined {
  const [first, second] = given
  if (scene.stdin.from === 'network' && (first === undefined || first.text === '-'))
    scene.found.add('destructive', part, 'runs code from another machine')
  if (given.length === 1 && INFO_OPTIONS.has(first?.text ?? ''))
    return scene.found.add('read-only', part, 'says its version')
  if (rule.is === 'build-test') return judgeScript({ rule, given, scene, part })
  if ([rule.is].flat().includes('network')) return judgePackage({ rule, given, scene, part })
  if (first?.text === '-m' && second?.text !== undefined) return judgeModule(second.text, given.slice(2), scene, part)
  if (first?.text === '--test' && /^(?:node|bun|deno) /.test(part))
    return scene.found.add('build-test', part, 'runs tests')
  scene.found.add(rule.is, part, rule.does)
}

function judgeScript({ rule, given, scene, part }: RuleCase): undefined {
  const name = given.find(({ text }) => !/^(?:-s|--silent|--if-present)$/.test(text ?? ''))
  if (name === undefined) return scene.found.add('read-only', part, 'lists scripts')
  if (name.text !== undefined && SCRIPTS.test(name.text)) return scene.found.add(rule.is, part, rule.does)
  scene.found.unknown(part, 'runs a script of the project')
}

/** `npx tsc`: a known tool gets its own class, and `network` because it may be downloaded first. */
function judgePackage({ rule, given, scene, part }: RuleCase): undefined {
  const at = given.findIndex(({ text }) => !/^(?:-y|--yes|--no|--no-install)$/.test(text ?? ''))
  const tool = given[at]?.text
  const isTool = tool !== undefined && PROGRAMS.get(tool)?.is === 'build-test' && PROGRAMS.get(tool)?.own === undefined
  if (!isTool) return scene.found.add(rule.is, part, rule.does)
  const isHere = given.slice(0, at).some(({ text }) => text === '--no' || text === '--no-install')
  if (!isHere) scene.found.add('network', part, 'may download a program')
  scene.judges.words(given.slice(at), scene)
}

const MODULES = table(
  rowsFor(
    'pytest unittest mypy black ruff flake8 pylint tox nox isort coverage compileall py_compile',
    'build-test',
    'builds or tests the project',
  ),
)

function judgeModule(name: string, args: readonly Word[], scene: CommandContext, part: string): undefined {
  const rule = MODULES.get(name)
  if (rule !== undefined) return scene.judges.rule(rule, args, scene, part)
  if (name === 'pip') return scene.judges.words([literal('pip'), ...args], scene)
  scene.found.unknown(partOf([literal(part)]), 'runs a module')
}
