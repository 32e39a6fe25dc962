import { quote as posix, type Switch, type Word } from './tree.js'

/** Completion for fish: `escrow completion fish > ~/.config/fish/completions/escrow.fish`. */
export function fishScript(words: readonly Word[]): string {
  const lines = words.flatMap((word) => [
    ...word.commands.map(({ name, about }) => complete(word.path, `-a ${name} -d ${quote(about)}`)),
    ...word.options.map((each) => complete(word.path, switchOf(each))),
    ...word.choices.map((choice) => complete(word.path, `-a ${quote(choice)}`)),
    ...(word.takesSession ? [complete(word.path, "-a '(escrow sessions --names 2>/dev/null)'")] : []),
    ...(word.commands.length > 0 ? [complete(word.path, '-f')] : []),
  ])
  const paths = words.map(({ path }) => path).filter((path) => path !== '')
  return `# escrow: completion for fish. escrow completion fish > ~/.config/fish/completions/escrow.fish
function __escrow_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch $at/$word
            case ${paths.map(posix).join(' ')}
                set at $at/$word
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

function complete(path: string, rest: string): string {
  return `complete -c escrow -n '__escrow_at "${path}"' ${rest}`
}

function switchOf({ long, short, about, takesValue, choices }: Switch): string {
  return [
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    ...(long === undefined ? [] : [`-l ${long.slice(2)}`]),
    ...(takesValue ? ['-r'] : []),
    ...(choices.length > 0 ? [`-f -a ${quote(choices.join(' '))}`] : []),
    `-d ${quote(about)}`,
  ].join(' ')
}

/** In fish a backslash escapes inside of single quotes. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
