import type { CommandContext, RuleCase } from './scene.js'
import { isOperand, unknownWord, type Word } from './words.js'

/** Tests of find(1) with a value in the next word. */
const WITH_VALUE = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin ' +
    '-newer -anewer -cnewer -user -group -uid -gid -perm -maxdepth -mindepth -links -inum -samefile -fstype -printf -regextype -used -context -D'
  ).split(' '),
)
const WITHOUT_VALUE = new Set(
  (
    '-print -print0 -ls -prune -quit -depth -d -empty -true -false -not -a -and -o -or -xdev -mount -follow -noleaf -readable -writable -executable ' +
    '-nouser -nogroup -daystart -ignore_readdir_race -H -L -P -E -X -x -s -help --help -version --version'
  ).split(' '),
)
const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const WRITES = new Set(['-fprint', '-fprint0', '-fprintf', '-fls'])

/** find(1): some of its actions delete, write or run commands. */
export function judgeFind({ rule, given, scene, part }: RuleCase): undefined {
  const { found } = scene
  found.add(rule.is, part, rule.does)
  for (let at = 0; at < given.length; at++) {
    const word = given[at]
    const text = word?.text
    if (text === undefined) {
      if (word !== undefined && !isOperand(word))
        found.unknown(part, `has an argument whose effect is unknown: ${word.source}`)
    } else if (WITH_VALUE.has(text)) at += given[at + 1]?.splits === false ? 1 : 0
    else if (text === '-delete') found.add('destructive', part, 'deletes files')
    else if (RUNS.has(text)) at = judgeRun(given, at + 1, scene)
    else if (WRITES.has(text)) found.add('write', part, 'writes files')
    else if (text.startsWith('-') && !WITHOUT_VALUE.has(text) && !/^-newer[aBcm][aBcmt]$|^-O\d$/.test(text))
      found.unknown(part, `has an unknown option: ${text}`)
  }
}

/** Judges the command after `-exec`, up to `;` or `+`. */
function judgeRun(args: readonly Word[], from: number, scene: CommandContext): number {
  const after = args
    .slice(from)
    .findIndex((word, at) => word.text === ';' || (word.text === '+' && args[from + at - 1]?.text === '{}'))
  const end = after < 0 ? args.length : from + after
  const words = args.slice(from, end).map((word) => (word.text?.includes('{}') ? unknownWord(word.source) : word))
  scene.judges.words(words, { ...scene, stdin: { from: 'unknown' }, isFunction: () => false })
  return end
}
