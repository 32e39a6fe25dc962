import { quote, type Switch, type Word } from './tree.js'

/** Completion for bash, 3.2 and later: `eval "$(escrow completion bash)"`. */
export function bashScript(words: readonly Word[]): string {
  const paths = words.map(({ path }) => path).filter((path) => path !== '')
  return `# escrow: completion for bash. Put in ~/.bashrc: eval "$(escrow completion bash)"
_escrow() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case $at/\${COMP_WORDS[i]} in
      ${paths.map(quote).join('|')}) at=$at/\${COMP_WORDS[i]} ;;
    esac
  done
  case $at:$prev in
${words.flatMap(values).join('\n')}
  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  case $at:$cur in
${words.map(line).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _escrow escrow
`
}

function values({ path, options }: Word): string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(
      (each) =>
        `    ${namesOf(each)
          .map((name) => quote(`${path}:${name}`))
          .join('|')}) words=${quote(each.choices.join(' '))} ;;`,
    )
}

function line({ path, commands, options, takesSession, choices }: Word): string {
  const own = [...commands.map(({ name }) => name), ...choices].join(' ')
  const sessions = takesSession ? '$(escrow sessions --names 2>/dev/null)' : ''
  const switches = options.flatMap(namesOf).join(' ')
  return `    ${quote(`${path}:-`)}*) words=${quote(switches)} ;;
    ${quote(`${path}:`)}*) words=${quote(own)}${sessions === '' ? '' : `"${own === '' ? '' : ' '}${sessions}"`} ;;`
}

export function namesOf({ long, short }: Switch): string[] {
  return [short, long].filter((name) => name !== undefined)
}
