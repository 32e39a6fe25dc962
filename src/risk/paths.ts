/** Properties of a file that follow from its name. All patterns are linear: no repetition within another. */

const TEST_NAME = /(?:^test_|[._-](?:test|tests|spec|e2e)(?=\.)|_test(?=\.))/
const TEST_DIRECTORY = /(?:^|\/)(?:test|tests|__tests__|spec|specs|e2e)\//

export function isTest(path: string): boolean {
  return TEST_NAME.test(nameOf(path)) || (TEST_DIRECTORY.test(path) && isSource(path))
}

const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|pyi|go|rs|java|kt|scala|cs|c|cc|cpp|cxx|h|hh|hpp|rb|php|swift|sh|bash|vue|svelte)$/i

export function isSource(path: string): boolean {
  return SOURCE.test(path)
}

export function isEcmascript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/i.test(path) && !/\.d\.[cm]?ts$/i.test(path)
}

export function isCi(path: string): boolean {
  return CI.some((pattern) => pattern.test(path))
}

const CI: readonly RegExp[] = [
  /^\.github\/(?:workflows|actions)\//,
  /(?:^|\/)action\.ya?ml$/,
  /^\.gitlab-ci\.ya?ml$/,
  /^\.(?:circleci|buildkite|woodpecker|ci|teamcity)\//,
  /(?:^|\/)(?:Jenkinsfile|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|appveyor\.ya?ml|cloudbuild\.ya?ml)$/,
  /^\.(?:travis|drone|cirrus)\.ya?ml$/,
]

/** Files that a program runs as soon as somebody opens, enters or commits to a checkout. */
const BY_ITSELF: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/(?:^|\/)\.git\/|(?:^|\/)\.?git-?hooks\/|(?:^|\/)\.husky\//, 'git'],
  [/(?:^|\/)(?:\.?lefthook(?:-local)?\.ya?ml|\.pre-commit-config\.yaml|\.overcommit\.yml)$/, 'git'],
  [/(?:^|\/)\.(?:gitattributes|gitmodules|gitconfig)$/, 'git'],
  [/(?:^|\/)\.(?:bashrc|bash_profile|bash_aliases|profile|zshrc|zshenv|zprofile|kshrc|envrc|tcshrc)$/, 'a shell'],
  [/(?:^|\/)\.vscode\/(?:tasks|launch|settings|extensions)\.json$/, 'the editor'],
  [/(?:^|\/)(?:\.idea\/runConfigurations\/|\.run\/|\.devcontainer\/|\.devcontainer\.json$)/, 'the editor'],
  [/(?:^|\/)\.(?:npmrc|yarnrc|yarnrc\.yml|pnpmfile\.c?js)$|(?:^|\/)bunfig\.toml$/, 'the package manager'],
  [/(?:^|\/)(?:pip\.conf|\.pypirc|\.condarc|sitecustomize\.py|usercustomize\.py)$|\.pth$/, 'Python'],
  [/(?:^|\/)(?:\.mcp\.json|\.(?:claude|cursor|codex|gemini|roo|cline|kiro)\/)/, 'an agent program'],
  [/(?:^|\/)binding\.gyp$/, 'the package manager'],
]

const BUILD: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/(?:^|\/)(?:[\w.-]*\.)?(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$/i, 'a container'],
  [/(?:^|\/)(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml$/, 'containers'],
  [/(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$|(?:^|\/)[Jj]ustfile$|(?:^|\/)Taskfile\.ya?ml$/, 'a build'],
  [/(?:^|\/)(?:CMakeLists\.txt|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|pom\.xml|build\.xml)$/, 'a build'],
  [/(?:^|\/)(?:build\.rs|setup\.py|conftest\.py|noxfile\.py|tox\.ini|Rakefile|Gemfile|[\w-]+\.gemspec)$/, 'a build'],
  [/(?:^|\/)(?:Procfile|Vagrantfile|Brewfile|entrypoint\.sh|[\w-]+\.service)$/, 'a start'],
  [/\.tf$|\.tfvars$|(?:^|\/)(?:serverless\.ya?ml|vercel\.json|netlify\.toml|fly\.toml)$/, 'a deployment'],
  [/(?:^|\/)(?:k8s|kubernetes|helm|charts|manifests)\/.*\.ya?ml$/, 'a deployment'],
]

const CONFIG =
  /(?:^|\/)(?:[\w.-]+\.conf(?:ig)?(?:\.[\w-]+)?|vitest\.(?:workspace|projects)|\.(?:eslint|prettier|babel|mocha|stylelint|lintstaged|commitlint|swc)rc)\.[cm]?[jt]s$/
/** Jest replaces modules by these in every test. */
const MOCKS = /(?:^|\/)__mocks__\//
const MIGRATION = /(?:^|\/)(?:migrations?|migrate)\/.*\.(?:sql|[cm]?[jt]s|py|rb|php|go|exs|ya?ml)$/i

/** Code that is installed: a file in it replaces a reviewed dependency. */
const INSTALLED = /(?:^|\/)(?:node_modules|site-packages|bower_components|jspm_packages)\//

/** Why a file by this name can run code, or decides which code runs; undefined for any other. */
export function runsCode(path: string): string | undefined {
  const by = runnerOf(path)
  if (by !== undefined) return `is run by ${by}`
  if (INSTALLED.test(path)) return 'is installed code'
  if (isCi(path)) return 'is run by a CI service'
  if (buildOf(path) !== undefined || isToolConfig(path)) return 'is run by a build or a tool'
  if (isMigration(path)) return 'is a migration'
  if (isManifest(path) || OTHER_MANIFEST.test(path)) return 'names dependencies'
  return manifestOf(path) === undefined ? undefined : 'is a lockfile'
}

const OTHER_MANIFEST =
  /(?:^|\/)(?:deno\.jsonc?|Cargo\.toml|pyproject\.toml|[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in)|requirements\/[^/]+\.(?:txt|in)|Pipfile|composer\.json|go\.mod|mix\.exs|pubspec\.yaml)$/

/** The program that runs a file by itself. */
export function runnerOf(path: string): string | undefined {
  return BY_ITSELF.find(([pattern]) => pattern.test(path))?.[1]
}

export function buildOf(path: string): string | undefined {
  return BUILD.find(([pattern]) => pattern.test(path))?.[1]
}

export const isToolConfig = (path: string) => CONFIG.test(path) || MOCKS.test(path)
export const isMigration = (path: string) => MIGRATION.test(path)

export const isManifest = (path: string) => nameOf(path) === 'package.json'

/** Lockfiles with the manifest that each belongs to. */
const LOCKFILES: Readonly<Record<string, string>> = {
  'package-lock.json': 'package.json',
  'npm-shrinkwrap.json': 'package.json',
  'yarn.lock': 'package.json',
  'pnpm-lock.yaml': 'package.json',
  'bun.lock': 'package.json',
  'bun.lockb': 'package.json',
  'deno.lock': 'deno.json',
  'Cargo.lock': 'Cargo.toml',
  'poetry.lock': 'pyproject.toml',
  'uv.lock': 'pyproject.toml',
  'pdm.lock': 'pyproject.toml',
  'Pipfile.lock': 'Pipfile',
  'Gemfile.lock': 'Gemfile',
  'composer.lock': 'composer.json',
  'go.sum': 'go.mod',
  'mix.lock': 'mix.exs',
  'pubspec.lock': 'pubspec.yaml',
}

/** The name of the manifest of a lockfile; undefined for any other file. */
export function manifestOf(path: string): string | undefined {
  const name = nameOf(path)
  return Object.hasOwn(LOCKFILES, name) ? LOCKFILES[name] : undefined
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

const PROSE =
  /\.(?:md|markdown|rst|adoc)$|(?:^|\/)(?:LICEN[CS]E|NOTICE|CHANGELOG|CHANGES|HISTORY|README|AUTHORS|CONTRIBUTORS|COPYING)[^/.]*(?:\.txt)?$/i

/**
 * Text for people, in which code is an example. The ending decides, as it does for the programs that read the file: `README.html` is a
 * page, `README.ps1` a script. Another `.txt` may be a list that a tool obeys.
 */
export const isProse = (path: string) => PROSE.test(path)
