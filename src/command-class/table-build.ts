import { alike, on, type Rule, type Table, table, word } from './rule.js'

/** Package managers, compilers, linters and test runners. */

const BUILDS = 'builds or tests the project'
const READS = 'only reads'
const INSTALLS = 'takes packages from another machine'
const PUBLISHES = 'publishes a package'
const UNKNOWN = 'is a command nobody can tell the effects of'

function tool(name: string, values: string, flags: string, bare: Rule, rows: Table): ReturnType<typeof alike> {
  return alike(name, 'other', UNKNOWN, { subcommands: { values, flags, table: rows, bare } })
}

const HELP: Rule = { is: 'read-only', does: READS }
const INSTALL: Rule = { is: ['network', 'write'], does: INSTALLS }
const script: Pick<Rule, 'own'> = { own: 'runner' }

const NODE_COMMANDS = table(
  alike('test t tst build', 'build-test', BUILDS),
  alike('run run-script rum', 'build-test', BUILDS, script),
  alike('start stop restart', 'other', 'starts a program of the project'),
  alike(
    'install i in isntall add ci clean-install install-test it update up upgrade audit dedupe import link fetch create init exec x dlx rebuild',
    ['network', 'write', 'other'],
    INSTALLS,
  ),
  alike('install i add ci clean-install update up upgrade dedupe link fetch', ['network', 'write'], INSTALLS),
  alike(
    'audit outdated view info show v search ping whoami login logout adduser token owner access profile team dist-tag star fund doctor',
    'network',
    'speaks with a registry',
  ),
  alike('unpublish deprecate', ['destructive', 'network'], 'takes a published package back'),
  alike('publish', ['destructive', 'network'], PUBLISHES),
  alike('uninstall un unlink remove rm r prune', ['destructive', 'write'], 'removes packages'),
  alike('ls list ll la why explain root prefix bin help', 'read-only', READS),
  alike('cache', 'write', 'changes the cache', {
    more: [word(/^(?:clean|clear|rm|delete)$/, 'destructive', 'deletes the cache')],
  }),
  alike('pack version', ['write', 'other'], 'runs scripts of the project'),
)

const CARGO = table(
  alike('build b check c test t bench clippy fmt doc d', 'build-test', BUILDS, {
    more: [on('--config', 'other', UNKNOWN)],
  }),
  alike('version help locate-project verify-project read-manifest', 'read-only', READS, {
    more: [on('--config', 'other', UNKNOWN)],
  }),
  alike(
    'tree metadata pkgid fetch update install add search login generate-lockfile vendor',
    ['network', 'write'],
    INSTALLS,
  ),
  alike('publish yank owner', ['destructive', 'network'], PUBLISHES),
  alike('clean remove rm uninstall', 'destructive', 'deletes files'),
)

const GO = table(
  alike('build test vet fmt list doc', 'build-test', BUILDS, {
    more: [on('-exec -toolexec -vettool', 'other', UNKNOWN)],
  }),
  alike('version env help', 'read-only', READS, { more: [on('-w -u', 'write', 'changes settings')] }),
  alike('get install mod work', ['network', 'write'], INSTALLS),
  alike('clean', 'destructive', 'deletes files'),
)

const PIP = table(
  alike('install download wheel', ['network', 'write'], INSTALLS),
  alike('list show freeze check help debug', 'read-only', READS, {
    more: [on('-o --outdated -u --uptodate', 'network', 'speaks with a registry')],
  }),
  alike('uninstall', 'destructive', 'removes packages'),
  alike('search index', 'network', 'speaks with a registry'),
  alike('cache config', 'write', 'changes settings or the cache'),
)

const DOCKER = table(
  alike('ps images logs inspect version info top stats port history events diff', 'read-only', READS),
  alike('pull login logout search', 'network', 'speaks with a registry'),
  alike('push', ['destructive', 'network'], 'publishes an image'),
  alike(
    'build run exec start create compose cp commit tag load save buildx',
    ['other', 'network'],
    'starts programs elsewhere',
  ),
  alike(
    'rm rmi kill stop prune system volume network container image',
    'destructive',
    'removes or ends containers, images or volumes',
  ),
)

export const BUILD = table(
  tool(
    'npm',
    '--prefix -w --workspace -C --dir --filter -F --cwd',
    '-s --silent -q --quiet -v --version --help -h --workspaces -ws -r --recursive',
    HELP,
    NODE_COMMANDS,
  ),
  tool('pnpm', '-C --dir --filter -F -w', '-s --silent -v --version --help -r --recursive', HELP, NODE_COMMANDS),
  tool('yarn', '--cwd', '-s --silent -v --version --help', INSTALL, NODE_COMMANDS),
  tool('bun', '--cwd', '--silent -v --version --help', HELP, NODE_COMMANDS),
  tool(
    'cargo',
    '--manifest-path --color',
    '-q --quiet -v --verbose --offline --locked --frozen --version -V --help',
    HELP,
    CARGO,
  ),
  tool('go', '', '', HELP, GO),
  ...['pip', 'pip3', 'pipx'].map((name) => tool(name, '', '-q --quiet -v --version -V --help', HELP, PIP)),
  ...['docker', 'podman', 'nerdctl'].map((name) => tool(name, '', '--version -v --help', HELP, DOCKER)),
  alike('npx bunx pnpx uvx', ['network', 'other'], 'may take a program from another machine and run it', {
    own: 'runner',
  }),
  alike(
    'tsc vitest jest mocha ava tap c8 nyc eslint biome prettier oxlint tslint stylelint playwright cypress vue-tsc pytest tox nox mypy pyright ' +
      'ruff black isort flake8 pylint bandit unittest rustfmt gofmt golangci-lint rubocop phpunit phpstan shellcheck hadolint ' +
      'yamllint markdownlint ctest clang-format clang-tidy rspec',
    'build-test',
    BUILDS,
    { more: [word(/^install$/, ['network', 'write'], INSTALLS)] },
  ),
  alike(
    'tsup esbuild rollup vite webpack swc turbo nx lerna coverage gcc g++ cc c++ clang clang++ ld as cmake ninja ' +
      'meson rustc javac kotlinc scalac dotnet gradle gradlew mvn mvnw ant sbt bazel buck rake swift swiftc xcodebuild zig ghc cabal stack mix elixirc',
    'build-test',
    BUILDS,
    {
      more: [
        word(/^(?:clean|distclean|purge)$/, 'destructive', 'deletes what was built'),
        word(/^(?:publish|deploy|release|push|uploadArchives)$|[pP]ublish/, ['destructive', 'network'], PUBLISHES),
        word(/^(?:install|restore|add|get|download|update|upgrade|dlx|exec|run|start)$/, 'other', UNKNOWN),
      ],
    },
  ),
  alike('make gmake just task', 'build-test', BUILDS, {
    more: [
      on('-f --file --makefile --eval -C --directory -I --include-dir -E', 'other', 'goes by another file'),
      word(
        /clean|purge|reset|destroy|wipe|drop|delete|remove|uninstall|nuke/i,
        'destructive',
        'deletes what was built',
      ),
      word(/publish|deploy|release|push|upload/i, ['destructive', 'network'], PUBLISHES),
      word(/install|fetch|download|deps|vendor|update/i, ['network', 'write'], INSTALLS),
      word(
        /^(?!(?:all|build|test|tests|check|lint|format|fmt|typecheck|compile|coverage|docs?|bench)$)/,
        'other',
        UNKNOWN,
      ),
    ],
  }),
  alike(
    'apt apt-get aptitude yum dnf apk pacman brew port zypper snap flatpak nix nix-env choco winget scoop gem bundle bundler composer conda mamba poetry uv pipenv easy_install cpan cabal-install opam luarocks vcpkg conan mise asdf nvm volta rustup sdk',
    ['network', 'write', 'other'],
    INSTALLS,
    {
      more: [
        word(
          /^(?:remove|purge|autoremove|erase|uninstall|cleanup|clean|del|prune|yank)$/,
          'destructive',
          'removes packages',
        ),
        word(/^(?:publish|push)$/, 'destructive', PUBLISHES),
      ],
    },
  ),
  alike(
    'twine vsce ovsx semantic-release release-it np changeset lerna-publish goreleaser gh-release',
    ['destructive', 'network'],
    PUBLISHES,
  ),
  alike(
    'python python2 python3 pypy pypy3 node nodejs deno ts-node tsx ruby perl php lua luajit Rscript R julia java scala groovy osascript pwsh powershell tclsh expect guile sbcl racket ocaml erl elixir iex irb ghci sqlite',
    'other',
    'runs a program of its own',
    { own: 'runner' },
  ),
)
