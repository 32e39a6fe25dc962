import { namesOf } from './bash.js'
import { quote, type Word } from './tree.js'

/** Completion for zsh: as \`_escrow\` in a directory of \`fpath\`, or by \`eval "$(escrow completion zsh)"\` behind compinit. */
export function zshScript(words: readonly Word[]): string {
  const paths = words.map(({ path }) => path).filter((path) => path !== '')
  return `#compdef escrow
# escrow: completion for zsh. Put in ~/.zshrc, behind compinit: eval "$(escrow completion zsh)"
_escrow() {
  local at= i
  local -a names
  for ((i = 2; i < CURRENT; i++)); do
    case $at/\${words[i]} in
      ${paths.map(quote).join('|')}) at=$at/\${words[i]} ;;
    esac
  done
  case $at:\${words[CURRENT-1]} in
${words.flatMap(values).join('\n')}
  esac
  case $at:\${words[CURRENT]} in
${words.map(line).join('\n')}
  esac
  if (( $#names )); then
    _describe -V escrow names
  else
    _files
  fi
}
if [[ $funcstack[1] = _escrow ]]; then
  _escrow "$@"
else
  compdef _escrow escrow
fi
`
}

function values({ path, options }: Word): string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map((each) => {
      const cases = namesOf(each).map((name) => quote(`${path}:${name}`))
      return `    ${cases.join('|')}) names=(${each.choices.map(quote).join(' ')}); _describe escrow names; return ;;`
    })
}

/** One word a line. */
const SESSIONS = `$\{(f)"$(escrow sessions --names 2>/dev/null)"}`

function line({ path, commands, options, takesSession, choices }: Word): string {
  const own = [...commands.map(({ name, about }) => describeEntry(name, about)), ...choices.map(quote)]
  const sessions = takesSession ? [SESSIONS] : []
  const switches = options.flatMap((each) => namesOf(each).map((name) => describeEntry(name, each.about)))
  return `    ${quote(`${path}:-`)}*) names=(${switches.join(' ')}) ;;
    ${quote(`${path}:`)}*) names=(${[...own, ...sessions].join(' ')}) ;;`
}

function describeEntry(name: string, about: string): string {
  return quote(`${name}:${about}`)
}
