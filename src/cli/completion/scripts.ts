/**
 * The completion scripts. A script contains no commands: it passes the line to `escrow completion SHELL --current=WORD -- WORDS`, which
 * prints one candidate per line, `value<TAB>description`. If it prints none, the shell offers files.
 */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof SHELLS)[number]

/** bash 3.2 and later. `printf %q` quotes a value with a space. */
const BASH = `# escrow: completion for bash. Put in ~/.bashrc: eval "$(escrow completion bash)"
_escrow() {
  local value about
  COMPREPLY=()
  while IFS=$'\\t' read -r value about; do
    COMPREPLY+=("$(printf %q "$value")")
  done < <(escrow completion bash --current="\${COMP_WORDS[COMP_CWORD]}" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
}
complete -o bashdefault -o default -F _escrow escrow
`

/** `_describe` separates value and description by a colon. */
const ZSH = `#compdef escrow
# escrow: completion for zsh. Put in ~/.zshrc, after compinit: eval "$(escrow completion zsh)"
_escrow() {
  local line
  local -a candidates
  for line in "\${(@f)$(escrow completion zsh --current="\${words[CURRENT]}" -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#candidates )); then
    _describe -V escrow candidates
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

const FISH = `# escrow: completion for fish. escrow completion fish > ~/.config/fish/completions/escrow.fish
function __escrow_candidates
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    set -l found (escrow completion fish --current="$current" -- $words[2..] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c escrow -f -a '(__escrow_candidates)'
`

/** PowerShell 5.1 drops empty arguments of a native command, so the current word is part of an option. */
const POWERSHELL = `# escrow: completion for PowerShell. Put in $PROFILE: escrow completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName escrow -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  escrow completion powershell "--current=$wordToComplete" '--' @words 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    $text = if ($value -match '\\s') { "'$($value -replace "'", "''")'" } else { $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $(if ($about) { $about } else { $value }))
  }
}
`

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL }
