import { namesOf } from './bash.js'
import type { Word } from './tree.js'

/** Completion for PowerShell, 5.1 and later: `escrow completion powershell | Out-String | Invoke-Expression`. */
export function powershellScript(words: readonly Word[]): string {
  const paths = words.map(({ path }) => path).filter((path) => path !== '')
  return `# escrow: completion for PowerShell. Put in $PROFILE: escrow completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName escrow -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $paths = ${listLiteral(paths)}
  # What can follow: names, each with what it is behind a tab.
  $words = @{
${words.map((word) => entry(word.path, namesBehind(word))).join('\n')}
  }
  $switches = @{
${words.map((word) => entry(word.path, switchesOf(word))).join('\n')}
  }
  $values = @{
${words.flatMap(valuesOf).join('\n')}
  }
  $sessions = ${listLiteral(words.filter(({ takesSession }) => takesSession).map(({ path }) => path))}
  # The word under the cursor is not typed yet.
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  $at = ''
  foreach ($word in $typed) { if ($paths -ccontains "$at/$word") { $at = "$at/$word" } }
  $before = if ($typed.Count -gt 0) { "\${at}:$($typed[-1])" } else { '' }
  $found = if ($values.ContainsKey($before)) { $values[$before] }
    elseif ($wordToComplete.StartsWith('-')) { $switches[$at] }
    else {
      $words[$at]
      if ($sessions -ccontains $at) { escrow sessions --names 2>$null }
    }
  $found | Where-Object { $_ -and $_.StartsWith($wordToComplete) } | ForEach-Object {
    $name, $about = $_ -split "\`t", 2
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $(if ($about) { $about } else { $name }))
  }
}
`
}

function namesBehind({ commands, choices }: Word): string[] {
  return [...commands.map(({ name, about }) => `${name}\t${about}`), ...choices]
}

function switchesOf({ options }: Word): string[] {
  return options.flatMap((each) => namesOf(each).map((name) => `${name}\t${each.about}`))
}

function valuesOf({ path, options }: Word): string[] {
  return options.flatMap((each) =>
    each.choices.length === 0 ? [] : namesOf(each).map((name) => entry(`${path}:${name}`, each.choices)),
  )
}

function entry(name: string, texts: readonly string[]): string {
  return `    ${quote(name)} = ${listLiteral(texts)}`
}

function listLiteral(texts: readonly string[]): string {
  return `@(${texts.map(quote).join(', ')})`
}

/** PowerShell takes typographic quotation marks for plain ones. */
function quote(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`
}
